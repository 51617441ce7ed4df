// Agents of AI SDK 6 and 7, without Prunus, with it, and with a proxy that is gone.

import assert from "node:assert/strict"
import { test } from "node:test"

import { prunus } from "ai-sdk-prunus"

import { startBroken } from "../../testing/broken-proxies.js"
import { startProxy } from "../../testing/proxy.js"
import { MODEL, loadSdk, play } from "./agent.js"
import { CALLS } from "./scenario.js"

assert(CALLS >= 30)

for (const version of [6, 7]) {
  for (const streaming of [false, true]) {
    const name = `${streaming ? "streamText" : "generateText"} of AI SDK ${version}`

    for (const preset of ["auto", "acp"]) {
      test(`${name} sends less and ends the same, preset ${preset}`, async (t) => {
        const sdk = await loadSdk(version)
        const { url } = await startProxy(t, "--preset", preset)
        const plain = await play(sdk, { streaming })
        const pruned = await play(sdk, { streaming, prunusFor: () => prunus({ url, timeout: 60_000 }) })
        assert.deepEqual(pruned.results.map((result) => result.error), pruned.requests.map(() => undefined))
        assert.deepEqual([...new Set(pruned.results.map((result) => result.report.model))], [MODEL])
        assertSameEnd(plain, pruned)
        assert.deepEqual(pruned.requests.map(shapeOf), plain.requests.map(shapeOf))
        assertStablePrefix(pruned)
        assert(sizeOf(pruned) < 0.5 * sizeOf(plain), `${sizeOf(pruned)} of ${sizeOf(plain)} characters`)
        // Prunus sees the whole history at each step, not the messages that it has pruned before.
        const before = pruned.results.map((result) => result.report.tokens_before)
        assert(before.every((tokens, index) => index === 0 || tokens > before[index - 1]))
        if (preset === "acp") assert(longestCall(plain) > 2000 && longestCall(pruned) < 2000)
      })
    }

    test(`${name} sends the history as it is without a proxy`, async (t) => {
      const sdk = await loadSdk(version)
      const url = await startBroken(t, "nobody listens")
      const plain = await play(sdk, { streaming })
      const broken = await play(sdk, { streaming, prunusFor: () => prunus({ url }) })
      assert.deepEqual(broken.requests, plain.requests)
      assertSameEnd(plain, broken)
      assert(broken.results.every((result) => result.error.includes("ECONNREFUSED")))
    })
  }

  test(`AI SDK ${version} sends the whole history again when the proxy goes away`, async (t) => {
    const sdk = await loadSdk(version)
    const { url, stop } = await startProxy(t, "--preset", "acp")
    const prune = prunus({ url, timeout: 60_000 })
    let steps = 0
    const prepareStep = async (step) => {
      if (++steps === 10) await stop()
      return prune(step)
    }
    const plain = await play(sdk)
    const left = await play(sdk, { prunusFor: () => prepareStep })
    assert(sizeOf({ requests: left.requests.slice(0, 9) }) < 0.8 * sizeOf({ requests: plain.requests.slice(0, 9) }))
    assert.deepEqual(left.requests.slice(9), plain.requests.slice(9))
    assertSameEnd(plain, left)
  })
}

function assertSameEnd(plain, other) {
  assert.deepEqual(other.files, plain.files)
  assert.deepEqual(other.answers, plain.answers)
  assert.deepEqual(other.stored, plain.stored)
}

/** Roles, ids and tools of a request, in order. */
function shapeOf(request) {
  return request.map(({ role, content }) => [
    role,
    typeof content === "string" || content.map((part) => [part.type, part.toolCallId, part.toolName]),
  ])
}

/** A request extends the one before it, unless its report declares a break of the cache; then up to that break. */
function assertStablePrefix({ requests, results, resumedAt }) {
  for (let index = 1; index < requests.length; index++) {
    if (index === resumedAt) continue
    const [before, after] = [requests[index - 1], requests[index]].map((request) => request.map((m) => JSON.stringify(m)))
    const same = before.findIndex((message, n) => message !== after[n])
    if (same === -1) continue
    const { cache_break } = results[index].report
    assert(cache_break, `request ${index} changes message ${same}`)
    assert(cache_break.message < rowsOf(requests[index].slice(0, same + 1)))
  }
}

/** How many messages Prunus sees of these: it sees each result of a tool by itself, and not the system text. */
function rowsOf(messages) {
  return messages.reduce((count, { role, content }) => {
    return count + (role === "tool" ? content.length : role === "system" ? 0 : 1)
  }, 0)
}

function sizeOf({ requests }) {
  return JSON.stringify(requests).length
}

function longestCall({ requests }) {
  const calls = requests.at(-1).flatMap(({ role, content }) => (role === "assistant" ? content : []))
  return Math.max(...calls.map((part) => JSON.stringify(part.input ?? "").length))
}
