import assert from "node:assert/strict"
import { test } from "node:test"

import { complaints } from "../../testing/types.js"

/** The folder of an installed pi, which is too large to install for its types alone. */
const PI = process.env.PRUNUS_PI
const skip = !PI && "PRUNUS_PI names no installed pi"

test("the types are those of a pi extension", { skip }, async (t) => {
  const paths = { "@earendil-works/pi-coding-agent": [`${PI}/dist/index.d.ts`] }
  assert.deepEqual(await complaints(t, "pi-prunus", paths), [])
})
