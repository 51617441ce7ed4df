// The plugin is one that OpenCode accepts, checked by the compiler.

import type { Plugin } from "@opencode-ai/plugin"
import { Prunus, type PrunusOptions } from "opencode-prunus"

export const plugin: Plugin = Prunus
export const options: PrunusOptions = { url: "http://127.0.0.1:8787", token: "secret", timeout: 500 }
// @ts-expect-error: an address is a text
export const wrong: PrunusOptions = { url: 8787 }
