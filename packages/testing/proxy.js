// A real `prunus proxy` for tests, on a port and a store of its own.

import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"

/** The program: `PRUNUS` names it, and otherwise it is that of the checkout. */
const PROGRAM = process.env.PRUNUS ?? fileURLToPath(new URL("../../.venv/bin/prunus", import.meta.url))
const PATIENCE = 60_000

/** Starts a proxy and waits until it answers: `{ url, stop }`. It ends with the test `t` at the latest. */
export async function startProxy(t, ...options) {
  const folder = await mkdtemp(join(tmpdir(), "prunus-proxy-"))
  const port = await freePort()
  const given = ["proxy", "--port", `${port}`, "--store", `sqlite:///${join(folder, "store.db")}`, ...options]
  const env = { PATH: process.env.PATH, HOME: folder }
  const proxy = spawn(PROGRAM, given, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] })
  let said = ""
  proxy.stdout.on("data", (text) => (said += text))
  proxy.stderr.on("data", (text) => (said += text))
  const ended = new Promise((resolve) => proxy.once("close", resolve))
  const stop = () => {
    proxy.kill()
    return ended
  }
  t.after(async () => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${port}`
  for (const end = Date.now() + PATIENCE; !(await answers(url)); await pause(50)) {
    if (proxy.exitCode !== null || Date.now() > end) throw new Error(`the proxy does not answer: ${said}`)
  }
  return { url, stop }
}

async function answers(url) {
  try {
    return (await fetch(`${url}/healthz`)).ok
  } catch {
    return false
  }
}

/** A port that nobody listens on. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}
