import assert from "node:assert/strict"
import { test } from "node:test"

import { complaints } from "../../testing/types.js"

/** The folder of an installed `@opencode-ai/plugin`, whose dependencies are many. */
const PLUGIN = process.env.PRUNUS_OPENCODE_PLUGIN
const skip = !PLUGIN && "PRUNUS_OPENCODE_PLUGIN names no installed @opencode-ai/plugin"

test("the types are those of an OpenCode plugin", { skip }, async (t) => {
  const paths = { "@opencode-ai/plugin": [`${PLUGIN}/dist/index.d.ts`] }
  assert.deepEqual(await complaints(t, "opencode-prunus", paths), [])
})
