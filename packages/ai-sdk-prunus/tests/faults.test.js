// Whatever is wrong with the proxy, the step goes on with its own messages.

import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { dirname } from "node:path"
import { test } from "node:test"
import { fileURLToPath } from "node:url"

import { prunus } from "ai-sdk-prunus"

import { FAULTS, startBroken } from "../../testing/broken-proxies.js"
import { frozen } from "../../testing/frozen.js"

const HERE = dirname(fileURLToPath(import.meta.url))
const step = frozen({
  model: { modelId: "gpt-5" },
  messages: [
    { role: "user", content: "Hi." },
    { role: "user", content: "Is anybody there?" },
  ],
})

for (const fault of Object.keys(FAULTS)) {
  test(`${fault}: the messages are sent as they are`, async (t) => {
    const prepareStep = prunus({ url: await startBroken(t, fault), timeout: 300 })
    assert.equal(prepareStep.last, undefined)
    assert.equal(await prepareStep(step), undefined)
    assert.match(prepareStep.last.error, /./)
  })
}

test("messages that cannot be read are sent as they are", async () => {
  const prepareStep = prunus({ url: "http://127.0.0.1:9" })
  const circular = { type: "json", value: {} }
  circular.value.self = circular
  const strange = [{ role: "tool", content: [{ type: "tool-result", toolCallId: "c1", output: circular }] }, null]
  assert.equal(await prepareStep({ messages: strange }), undefined)
  assert.match(prepareStep.last.error, /./)
})

test("the program is warned once while the proxy is gone", async (t) => {
  const url = await startBroken(t, "nobody listens")
  const warnings = []
  const listen = (warning) => warning.message.includes(url) && warnings.push(warning)
  process.on("warning", listen)
  t.after(() => process.off("warning", listen))
  const prepareStep = prunus({ url })
  await prepareStep(step)
  await prepareStep(step)
  await new Promise(setImmediate)
  assert.deepEqual(warnings.map((warning) => warning.name), ["PrunusWarning"])
  assert.match(warnings[0].message, /prunus proxy/)
})

test("a proxy is waited for two seconds", async (t) => {
  const patience = []
  t.mock.method(AbortSignal, "timeout", (time) => {
    patience.push(time)
    return AbortSignal.abort()
  })
  assert.equal(await prunus()(step), undefined)
  assert.deepEqual(patience, [2000])
})

test("a runtime without a process needs no variables", () => {
  const program = `
    const { process } = globalThis
    delete globalThis.process
    const { prunus } = await import("ai-sdk-prunus")
    const prepareStep = prunus({ url: "http://127.0.0.1:9", timeout: 1000 })
    const same = await prepareStep({ messages: [{ role: "user", content: "Hi." }] })
    process.exit(same === undefined && prepareStep.last.error ? 0 : 1)
  `
  const given = ["--input-type=module", "-e", program]
  const { status, stderr } = spawnSync(process.execPath, given, { cwd: HERE, encoding: "utf8" })
  assert.equal(status, 0, stderr)
  assert.match(stderr, /Prunus prunes nothing/)
})
