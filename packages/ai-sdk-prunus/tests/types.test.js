import assert from "node:assert/strict"
import { test } from "node:test"

import { complaints } from "../../testing/types.js"

test("the types fit AI SDK 6 and 7", async (t) => {
  assert.deepEqual(await complaints(t, "ai-sdk-prunus"), [])
})
