// What programs write, checked by the compiler against both versions of the AI SDK.

import { prunus, type PrunusResult } from "ai-sdk-prunus"
import * as v6 from "ai-v6"
import * as v7 from "ai-v7"
import { z } from "zod"

declare const model6: v6.LanguageModel
declare const model7: v7.LanguageModel

const prepareStep = prunus()
const configured = prunus({ url: "http://127.0.0.1:8787", token: "secret", timeout: 500, key: "thread-1" })

const read6 = v6.tool({ inputSchema: z.object({ path: z.string() }), execute: async ({ path }) => path })
void v6.generateText({ model: model6, prompt: "Hi.", tools: { read: read6 }, prepareStep })
void v6.streamText({ model: model6, prompt: "Hi.", tools: { read: read6 }, prepareStep: configured })
void new v6.ToolLoopAgent({ model: model6, tools: { read: read6 }, prepareStep })

const read7 = v7.tool({ inputSchema: z.object({ path: z.string() }), execute: async ({ path }) => path })
void v7.generateText({ model: model7, prompt: "Hi.", tools: { read: read7 }, prepareStep })
void v7.streamText({ model: model7, prompt: "Hi.", tools: { read: read7 }, prepareStep: configured })
void new v7.ToolLoopAgent({ model: model7, tools: { read: read7 }, prepareStep })

const last: PrunusResult | undefined = prepareStep.last
if (last?.report) void (last.report.tokens_before - last.report.tokens_after)
else void last?.error.length

// @ts-expect-error: an address is a text
prunus({ url: 8787 })
// @ts-expect-error: an unknown option
prunus({ adress: "http://127.0.0.1:8787" })
