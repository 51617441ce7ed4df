// The handler of the extension, called as pi calls it. The real program runs it in `tests/packages` of the project.

import assert from "node:assert/strict"
import { test } from "node:test"

import prunus from "pi-prunus"

import { FAULTS, startBroken } from "../../testing/broken-proxies.js"
import { frozen } from "../../testing/frozen.js"
import { startProxy } from "../../testing/proxy.js"

const FILE = Array.from({ length: 80 }, (_, n) => `# line ${n} of the file\n`).join("")
const READS = [0, 1, 2, 3, 4, 5]

/** A payload for each API in which one file is read again and again. */
const PAYLOADS = {
  "anthropic-messages": {
    model: "claude-sonnet-4-5",
    max_tokens: 1000,
    system: [{ type: "text", text: "Help." }],
    tools: [{ name: "read", input_schema: { type: "object" } }],
    messages: [
      { role: "user", content: "Look at a.py." },
      ...READS.flatMap((n) => [
        { role: "assistant", content: [{ type: "tool_use", id: `t${n}`, name: "read", input: { path: "a.py" } }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: `t${n}`, content: FILE }] },
      ]),
    ],
  },
  "openai-completions": {
    model: "gpt-5",
    stream: true,
    tools: [{ type: "function", function: { name: "read" } }],
    messages: [
      { role: "user", content: "Look at a.py." },
      ...READS.flatMap((n) => {
        const call = { id: `t${n}`, type: "function", function: { name: "read", arguments: '{"path":"a.py"}' } }
        return [
          { role: "assistant", content: null, tool_calls: [call] },
          { role: "tool", tool_call_id: `t${n}`, content: FILE },
        ]
      }),
    ],
  },
  "openai-responses": {
    model: "gpt-5",
    store: false,
    tools: [{ type: "function", name: "read" }],
    input: [
      { role: "user", content: "Look at a.py." },
      ...READS.flatMap((n) => [
        { type: "function_call", call_id: `t${n}`, name: "read", arguments: '{"path":"a.py"}' },
        { type: "function_call_output", call_id: `t${n}`, output: FILE },
      ]),
    ],
  },
  "google-generative-ai": {
    model: "gemini-2.5-pro",
    config: { tools: [{ functionDeclarations: [{ name: "read" }] }], abortSignal: new AbortController().signal },
    contents: [
      { role: "user", parts: [{ text: "Look at a.py." }] },
      ...READS.flatMap((n) => [
        { role: "model", parts: [{ functionCall: { id: `t${n}`, name: "read", args: { path: "a.py" } } }] },
        { role: "user", parts: [{ functionResponse: { id: `t${n}`, name: "read", response: { output: FILE } } }] },
      ]),
    ],
  },
}
const history = (payload) => payload.messages ?? payload.input ?? payload.contents
const kinds = (items) => items.map(({ type, role, call_id }) => [type, role, call_id])

/** What the extension makes of payloads of an API, with a proxy at `url`; `notify` gets its warnings. */
function extension(url, { notify = () => {}, timeout = 60_000 } = {}) {
  process.env.PRUNUS_URL = url
  process.env.PRUNUS_TIMEOUT = `${timeout}`
  let handler
  prunus({ on: (event, given) => event === "before_provider_request" && (handler = given) })
  return (api, payload) =>
    handler(
      { type: "before_provider_request", payload },
      { model: { api }, ui: { notify } },
    )
}

for (const [api, payload] of Object.entries(PAYLOADS)) {
  test(`${api}: repeated reads go, and the rest of the payload stays`, async (t) => {
    const { url } = await startProxy(t, "--preset", "acp")
    const sent = await extension(url)(api, payload)
    const [before, after] = [history(payload), history(sent)]
    assert.equal(after.length, before.length)
    assert(JSON.stringify(after).length < 0.5 * JSON.stringify(before).length)
    // The newest read is whole, and what did not change is the given object.
    assert.equal(after.at(-1), before.at(-1))
    assert.equal(after[0], before[0])
    assert(JSON.stringify(before.at(2)).includes("line 79"))
    const rest = Object.keys(payload).filter((name) => payload[name] !== before)
    assert(rest.every((name) => sent[name] === payload[name]))
  })
}

test("reasoning that Prunus leaves out is not sent", async (t) => {
  const { url } = await startProxy(t)
  const thought = { type: "reasoning", summary: [{ type: "summary_text", text: "I could look again. ".repeat(100) }] }
  const input = PAYLOADS["openai-responses"].input.flatMap((item) =>
    item.type === "function_call_output"
      ? [item, thought, { role: "assistant", content: "Done." }, { role: "user", content: "Go on." }]
      : [item],
  )
  const sent = await extension(url)("openai-responses", { ...PAYLOADS["openai-responses"], input })
  const without = input.filter((item) => item !== thought)
  assert.deepEqual(kinds(sent.input.filter((item) => item.type !== "reasoning")), kinds(without))
  assert(sent.input.length < input.length)
  assert.equal(sent.input.at(-1), input.at(-1))
})

for (const fault of Object.keys(FAULTS)) {
  test(`${fault}: the payload is sent as it is, and the user is told once`, async (t) => {
    const told = []
    const notify = (message, type) => told.push([message, type])
    const ask = extension(await startBroken(t, fault), { notify, timeout: 300 })
    const payload = frozen(structuredClone(PAYLOADS["openai-completions"]))
    assert.equal(await ask("openai-completions", payload), undefined)
    assert.equal(await ask("openai-completions", payload), undefined)
    assert.equal(told.length, 1)
    assert.match(told[0][0], /prunus proxy/)
    assert.equal(told[0][1], "warning")
  })
}

test("payloads of other APIs, and without tools, are left alone", async (t) => {
  const ask = extension(await startBroken(t, "nobody listens"), { notify: () => assert.fail("nothing was asked") })
  assert.equal(await ask("bedrock-converse-stream", { messages: [] }), undefined)
  assert.equal(await ask("openai-responses", { messages: [] }), undefined)
  assert.equal(await ask("openai-completions", undefined), undefined)
  assert.equal(await ask("openai-completions", { ...PAYLOADS["openai-completions"], tools: [] }), undefined)
})
