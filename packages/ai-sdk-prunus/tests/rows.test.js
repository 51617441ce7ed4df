// What becomes of each kind of part on the way to chat rows and back.

import assert from "node:assert/strict"
import { test } from "node:test"

import { frozen } from "../../testing/frozen.js"
import { putBack, toRows } from "../rows.js"

const SHORT = "[Prunus: removed]"
const cached = { anthropic: { cacheControl: { type: "ephemeral" } } }

/** The chat messages of some messages, and the messages after `change` has changed those chat messages. */
function pruned(messages, change = () => {}) {
  const rows = toRows(frozen(messages))
  const chat = structuredClone(rows.map((row) => row.chat))
  change(chat)
  return { chat: rows.map((row) => row.chat), sent: putBack(messages, rows, chat) }
}

function result(output) {
  return [{ role: "tool", content: [{ type: "tool-result", toolCallId: "c1", toolName: "read", output }] }]
}

test("messages without a change are the given objects", () => {
  const messages = [
    { role: "system", content: "Help." },
    { role: "user", content: [{ type: "text", text: "Look." }, { type: "image", image: "data" }] },
    { role: "assistant", content: [{ type: "reasoning", text: "Hm." }, { type: "text", text: "Yes." }] },
    ...result({ type: "text", value: "long" }),
  ]
  const { chat, sent } = pruned(messages)
  assert.deepEqual(chat.map(({ role, content }) => [role, content]), [
    ["system", "Help."],
    ["user", "Look."],
    ["assistant", "Yes."],
    ["tool", "long"],
  ])
  assert(sent.every((message, index) => message === messages[index]))
})

test("a changed part is copied, and the others of its message are the given objects", () => {
  const parts = ["c1", "c2"].map((toolCallId) => {
    return { type: "tool-result", toolCallId, toolName: "read", output: { type: "text", value: "long" } }
  })
  const messages = [{ role: "tool", content: parts, providerOptions: cached }]
  const { sent } = pruned(messages, (chat) => (chat[1].content = SHORT))
  assert.deepEqual(sent[0].content[1], { ...parts[1], output: { type: "text", value: SHORT } })
  assert.equal(sent[0].content[0], parts[0])
  assert.equal(sent[0].providerOptions, cached)
  assert.equal(parts[1].output.value, "long")
})

const OUTPUTS = [
  [{ type: "text", value: "long", providerOptions: cached }, { type: "text", value: SHORT, providerOptions: cached }],
  [{ type: "error-text", value: "long" }, { type: "error-text", value: SHORT }],
  [{ type: "json", value: { rows: [1, 2] } }, { type: "text", value: SHORT }],
  [{ type: "error-json", value: { rows: [1, 2] } }, { type: "error-text", value: SHORT }],
  [
    { type: "content", value: [{ type: "image-data", data: "x" }, { type: "text", text: "long" }] },
    { type: "content", value: [{ type: "image-data", data: "x" }, { type: "text", text: SHORT }] },
  ],
  [{ type: "execution-denied", reason: "No." }, { type: "execution-denied", reason: "No." }],
]

for (const [output, expected] of OUTPUTS) {
  test(`an output of type ${output.type} keeps everything but its text`, () => {
    const { sent } = pruned(result(output), (chat) => (chat[0].content = SHORT))
    assert.deepEqual(sent, result(expected))
  })
}

test("an output without a text keeps its row, so that its call has a result", () => {
  const messages = result({ type: "content", value: [{ type: "image-data", data: "x" }] })
  assert.deepEqual(pruned(messages).chat, [{ role: "tool", tool_call_id: "c1", content: "" }])
})

test("arguments of calls come back as objects", () => {
  const call = { type: "tool-call", toolCallId: "c1", toolName: "write", input: { path: "a", text: "long" } }
  const messages = [{ role: "assistant", content: [{ type: "text", text: "I write." }, call] }]
  const { chat, sent } = pruned(messages, (rows) => {
    rows[0].tool_calls[0].function.arguments = '{"path": "a", "text": ""}'
  })
  assert.deepEqual(chat[0].tool_calls, [
    { id: "c1", type: "function", function: { name: "write", arguments: '{"path":"a","text":"long"}' } },
  ])
  assert.deepEqual(sent[0].content[1], { ...call, input: { path: "a", text: "" } })
  assert.equal(sent[0].content[0], messages[0].content[0])
})

test("calls that the provider carries out stay with their results", () => {
  const content = [
    { type: "tool-call", toolCallId: "s1", toolName: "search", input: {}, providerExecuted: true },
    { type: "tool-result", toolCallId: "s1", toolName: "search", output: { type: "text", value: "found" } },
    { type: "text", text: "Found." },
  ]
  const { chat, sent } = pruned([{ role: "assistant", content }], (rows) => (rows[0].content = SHORT))
  assert.deepEqual(chat, [{ role: "assistant", content: "Found." }])
  assert.deepEqual(sent[0].content, [content[0], content[1], { type: "text", text: SHORT }])
})

test("several texts of a message are put back each in its place", () => {
  const content = [{ type: "text", text: "one" }, { type: "file", data: "x" }, { type: "text", text: "two" }]
  const { sent } = pruned([{ role: "user", content }], (rows) => (rows[0].content[1].text = SHORT))
  assert.deepEqual(sent[0].content, [content[0], content[1], { type: "text", text: SHORT }])
  assert.equal(sent[0].content[0], content[0])
})

test("a text that was a string stays one", () => {
  const { sent } = pruned([{ role: "user", content: "long" }], (rows) => (rows[0].content = SHORT))
  assert.deepEqual(sent, [{ role: "user", content: SHORT }])
})

test("an answer with other messages is refused", () => {
  const messages = [{ role: "user", content: "Hi." }, ...result({ type: "text", value: "long" })]
  assert.throws(() => pruned(messages, (rows) => rows.pop()))
  assert.throws(() => pruned(messages, (rows) => rows.reverse()))
  assert.throws(() => pruned(messages, (rows) => (rows[1].tool_call_id = "c2")))
})
