// The hook of the plugin, called as OpenCode calls it. The real program runs it in `tests/packages` of the project.

import assert from "node:assert/strict"
import { test } from "node:test"

import * as plugin from "opencode-prunus"

import { FAULTS, startBroken } from "../../testing/broken-proxies.js"
import { frozen } from "../../testing/frozen.js"
import { startProxy } from "../../testing/proxy.js"
import { putBack } from "../put-back.js"
import { session } from "./session.js"

/** What the hook makes of messages: of the array that it was given, as OpenCode goes on with that one. */
async function transformed(messages, options, host = {}) {
  const hooks = await plugin.Prunus(host, options)
  const output = { messages: [...messages] }
  const array = output.messages
  await hooks["experimental.chat.messages.transform"]({}, output)
  assert.equal(output.messages, array)
  return array
}

test("the module exports the plugin and nothing else", () => {
  assert.deepEqual(Object.keys(plugin), ["Prunus"])
})

test("repeated reads go, ids and order stay, and the stored messages are untouched", async (t) => {
  const { url } = await startProxy(t, "--preset", "acp")
  const stored = frozen(session(6))
  const sent = await transformed(stored, { url, timeout: 60_000 })
  assert.deepEqual(sent.map(({ info }) => info), stored.map(({ info }) => info))
  assert(sent.every(({ info }, index) => info === stored[index].info))
  const calls = (messages) => messages.flatMap(({ parts }) => parts.map((part) => part.callID)).filter(Boolean)
  assert.deepEqual(calls(sent), calls(stored))
  assert(JSON.stringify(sent).length < 0.5 * JSON.stringify(stored).length)
  // The newest read is whole, and so are the words before it.
  assert.equal(sent.at(-1).parts.find((part) => part.tool), stored.at(-1).parts[2])
  assert.equal(sent[0], stored[0])
})

test("a message that the answer leaves out stays as it is", () => {
  const stored = frozen(session(2))
  const sent = putBack(stored, JSON.parse(JSON.stringify(stored)).slice(1))
  assert(sent.every((message, index) => message === stored[index]))
})

test("a part that Prunus removes stays away, and its neighbours are the given objects", () => {
  const stored = frozen(session(1))
  const pruned = JSON.parse(JSON.stringify(stored))
  pruned[1].parts.shift()
  const sent = putBack(stored, pruned)
  assert.equal(sent[0], stored[0])
  assert(sent[1].parts.every((part, index) => part === stored[1].parts[index + 1]))
})

test("a part with another call is refused", () => {
  const pruned = JSON.parse(JSON.stringify(session(1)))
  pruned[1].parts[2].callID = "call_9"
  assert.throws(() => putBack(session(1), pruned))
})

for (const fault of Object.keys(FAULTS)) {
  test(`${fault}: the messages are sent as they are, and the log says why`, async (t) => {
    const logged = []
    const client = { app: { log: async ({ body }) => logged.push(body) } }
    const stored = frozen(session(3))
    const sent = await transformed(stored, { url: await startBroken(t, fault), timeout: 300 }, { client })
    assert(sent.every((message, index) => message === stored[index]))
    assert.deepEqual(logged.map(({ service, level }) => [service, level]), [["prunus", "warn"]])
  })
}

test("a log that fails does not matter", async (t) => {
  const url = await startBroken(t, "nobody listens")
  const failing = { app: { log: () => Promise.reject(new Error("no log")) } }
  const stored = session(1)
  assert.deepEqual(await transformed(stored, { url }, { client: failing }), stored)
  assert.deepEqual(await transformed([], { url }), [])
})
