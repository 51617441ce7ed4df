// The scenario in the AI SDK, with the mock model of the given version.

import { ANSWERS, PROMPTS, SCRIPT, SYSTEM, Workspace } from "./scenario.js"

export const MODEL = "gpt-5"

/** The AI SDK at a major version, with its mock model. */
export async function loadSdk(version) {
  const { MockLanguageModelV3, MockLanguageModelV4, simulateReadableStream } = await import(`ai-v${version}/test`)
  const Mock = MockLanguageModelV4 ?? MockLanguageModelV3
  return { ...(await import(`ai-v${version}`)), Mock, simulateReadableStream }
}

/**
 * Plays the whole scenario: three turns, the last one with a history that was stored as JSON.
 * `prunusFor` makes the `prepareStep` of an agent; the last turn gets a new one.
 */
export async function play(sdk, { streaming = false, prunusFor = () => undefined } = {}) {
  const workspace = new Workspace()
  const played = { requests: [], results: [], resumedAt: 0, stored: [], files: workspace.files, answers: [] }
  let messages = []
  let prepareStep = prunusFor()
  for (const [turn, content] of PROMPTS.entries()) {
    if (turn === PROMPTS.length - 1) {
      messages = JSON.parse(JSON.stringify(messages))
      prepareStep = prunusFor()
      played.resumedAt = played.requests.length
    }
    messages.push({ role: "user", content })
    const model = scripted(sdk, (prompt) => {
      played.requests.push(JSON.parse(JSON.stringify(prompt)))
      played.results.push(prepareStep?.last)
    })
    const options = { model, system: SYSTEM, messages, tools: toolsOf(sdk, workspace), prepareStep }
    const run = streaming ? sdk.streamText : sdk.generateText
    const result = await run({ ...options, stopWhen: sdk.stepCountIs(50), onError: () => {} })
    played.answers.push(await result.text)
    const made = sdk.isStepCount ? (await result.steps).flatMap((step) => step.response.messages) : []
    messages.push(...(made.length ? made : (await result.response).messages))
  }
  played.stored = messages
  if (played.answers.join() !== ANSWERS.join()) throw new Error(`unexpected answers: ${played.answers}`)
  return played
}

/** The tools of the workspace for the AI SDK. */
export function toolsOf(sdk, workspace) {
  const tools = ["read_file", "write_file", "edit_file", "bash"].map((name) => {
    const inputSchema = sdk.jsonSchema({ type: "object" })
    return [name, sdk.tool({ description: name, inputSchema, execute: (input) => workspace[name](input) })]
  })
  // The shell answers with a list of contents.
  const shell = Object.fromEntries(tools)
  shell.bash = { ...shell.bash, toModelOutput: (given) => ({ type: "content", value: [asText(given)] }) }
  return shell
}

function asText(given) {
  return { type: "text", text: given?.output ?? given }
}

/** A mock model that plays the script, and shows each prompt to `see`. */
export function scripted(sdk, see) {
  const answer = ({ prompt }) => {
    see(prompt)
    const number = prompt.filter(({ role }) => role === "assistant").length
    const move = SCRIPT[number]
    if (typeof move === "string") return { finish: "stop", content: [{ type: "text", text: move }] }
    const content = move.map(([toolName, input], index) => {
      return { type: "tool-call", toolCallId: `call_${number}_${index}`, toolName, input: JSON.stringify(input) }
    })
    return { finish: "tool-calls", content }
  }
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
  return new sdk.Mock({
    modelId: MODEL,
    doGenerate: async (options) => {
      const { finish, content } = answer(options)
      return { content, finishReason: { unified: finish, raw: finish }, usage, warnings: [] }
    },
    doStream: async (options) => {
      const { finish, content } = answer(options)
      const said = content.flatMap((part) => (part.type === "text" ? streamed(part.text) : [part]))
      const chunks = [
        { type: "stream-start", warnings: [] },
        ...said,
        { type: "finish", finishReason: { unified: finish, raw: finish }, usage },
      ]
      const stream = sdk.simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null })
      return { stream }
    },
  })
}

function streamed(delta) {
  const id = "1"
  return [{ type: "text-start", id }, { type: "text-delta", id, delta }, { type: "text-end", id }]
}
