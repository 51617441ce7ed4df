// A pi extension that prunes what pi sends with each request. The stored session stays whole.

import { Sidecar } from "./sidecar.js"

/** The format of a payload, and the field with its history, by the API of the model. */
const FORMATS = {
  "anthropic-messages": ["anthropic_messages", "messages"],
  "openai-completions": ["openai_chat", "messages"],
  "openai-responses": ["openai_responses", "input"],
  "openai-codex-responses": ["openai_responses", "input"],
  "azure-openai-responses": ["openai_responses", "input"],
  "google-generative-ai": ["gemini", "contents"],
  "google-vertex": ["gemini", "contents"],
}
/** What stands before the history in a request: if it changes, the provider's cache is lost. */
const HEAD = ["model", "system", "instructions", "tools"]

export default function prunus(pi) {
  let context
  const sidecar = new Sidecar({}, (message) => context?.ui?.notify(message, "warning"))
  pi.on("before_provider_request", async ({ payload }, ctx) => {
    context = ctx
    const [format, field] = FORMATS[ctx?.model?.api] ?? []
    const history = payload?.[field]
    // A request without tools is for a title or a summary.
    if (!Array.isArray(history) || !toolsOf(payload)?.length) return undefined
    const ask = () => ({ format, model: `${payload.model ?? ""}`, body: bodyOf(payload, field) })
    const pruned = await sidecar.prune(ask, (body) => putBack(history, body[field]))
    return pruned && { ...payload, [field]: pruned }
  })
}

function bodyOf(payload, field) {
  return Object.fromEntries([...HEAD, field].filter((name) => name in payload).map((name) => [name, payload[name]]))
}

/** The history to send: the given objects, except for those that have changed. Prunus may have left some out. */
function putBack(history, pruned) {
  const given = new Map(history.map((message) => [JSON.stringify(message), message]))
  const kinds = new Set(history.map(kindOf))
  if (!pruned.length || pruned.length > history.length || !pruned.every((message) => kinds.has(kindOf(message)))) {
    throw new Error("the pruned history has other messages than the given one")
  }
  return pruned.map((message) => given.get(JSON.stringify(message)) ?? message)
}

function kindOf({ role, type }) {
  return `${role} ${type}`
}

function toolsOf(payload) {
  return payload.tools ?? payload.config?.tools
}
