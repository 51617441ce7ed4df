// The extension is one that pi accepts, checked by the compiler.

import type { ExtensionFactory } from "@earendil-works/pi-coding-agent"
import prunus from "pi-prunus"

export const extension: ExtensionFactory = prunus
