// Runs the TypeScript compiler over the types of a package, and over a file that uses them.

import { spawnSync } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const HERE = dirname(fileURLToPath(import.meta.url))
const TSC = join(HERE, "..", "node_modules", ".bin", "tsc")

/** What the compiler says of `index.d.ts` and `types/usage.ts` of a package, and not of others' types. */
export async function complaints(t, name, paths = {}) {
  const folder = join(HERE, "..", name)
  const work = await mkdtemp(join(folder, ".types-"))
  t.after(() => rm(work, { recursive: true, force: true }))
  const files = [join(folder, "index.d.ts"), join(folder, "types", "usage.ts")]
  const settings = { extends: join(HERE, "tsconfig.json"), files, compilerOptions: { paths } }
  await writeFile(join(work, "tsconfig.json"), JSON.stringify(settings))
  const { stdout, stderr, error } = spawnSync(TSC, ["-p", work, "--pretty", "false"], { encoding: "utf8" })
  if (error) return [`${error}`]
  return (stdout + stderr).split("\n").filter((line) => /^\S/.test(line) && !line.includes("node_modules"))
}
