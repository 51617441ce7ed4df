// The snippet of the page, in a program that has the AI SDK and this package installed.

import assert from "node:assert/strict"
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import { fileURLToPath, pathToFileURL } from "node:url"

import { startProxy } from "../../testing/proxy.js"
import { loadSdk, scripted, toolsOf } from "./agent.js"
import { PROMPTS, Workspace } from "./scenario.js"

const NAME = "ai_sdk.js"
const place = (path) => fileURLToPath(new URL(path, import.meta.url))

for (const version of [6, 7]) {
  test(`the snippet runs an agent of AI SDK ${version} that prunes`, async (t) => {
    process.env.PRUNUS_URL = (await startProxy(t)).url
    process.env.PRUNUS_TIMEOUT = "60000"
    const folder = await mkdtemp(join(tmpdir(), "prunus-snippet-"))
    t.after(() => rm(folder, { recursive: true, force: true }))
    await mkdir(join(folder, "node_modules"))
    await symlink(place(`../../node_modules/ai-v${version}`), join(folder, "node_modules", "ai"))
    await symlink(place(".."), join(folder, "node_modules", "ai-sdk-prunus"))
    const program = join(folder, "snippet.mjs")
    await cp(place(`../../../docs/integrations/${NAME}`), program)

    const { answer, prepareStep } = await import(pathToFileURL(program))
    const [sdk, workspace, sizes] = [await loadSdk(version), new Workspace(), []]
    const model = scripted(sdk, (prompt) => sizes.push(JSON.stringify(prompt).length))
    const result = await answer(model, toolsOf(sdk, workspace), [{ role: "user", content: PROMPTS[0] }])
    assert.equal(prepareStep.last.error, undefined)
    assert(sizes.at(-1) < 0.6 * JSON.stringify(result.steps.flatMap((step) => step.toolResults)).length)
  })
}
