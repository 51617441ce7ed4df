// Addresses at which something else than a working proxy answers.

import { createServer } from "node:http"

import { freePort } from "./proxy.js"

/** What can be wrong with a proxy: nobody listens, or an answer that is late, refused, or not what was asked for. */
export const FAULTS = {
  "nobody listens": undefined,
  "the proxy never answers": () => {},
  "the proxy refuses": (_, response) => response.writeHead(403).end("{}"),
  "the proxy answers words": (_, response) => response.end("Hello!"),
  "the answer breaks off": (_, response) => {
    response.writeHead(200, { "content-length": "1000" }).write('{"body": [')
    setImmediate(() => response.destroy())
  },
  "the proxy tells of an error": (_, response) => response.end('{"body": [], "error": "broken", "report": null}'),
  "the body is missing": (_, response) => response.end('{"body": null, "error": null, "report": null}'),
  "the body is another one": (_, response) =>
    response.end('{"body": {"messages": [{}], "input": [{}]}, "error": null, "report": null}'),
}

/** The address of a proxy with this fault. It ends with the test `t`. */
export async function startBroken(t, fault) {
  if (!FAULTS[fault]) return `http://127.0.0.1:${await freePort()}`
  const server = createServer(FAULTS[fault]).listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  t.after(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${server.address().port}`
}
