// Prunes what the AI SDK sends at each step of an agent.

import { putBack, toRows } from "./rows.js"
import { Sidecar } from "./sidecar.js"

/** A `prepareStep` for `generateText`, `streamText` and agents. Its `last` tells what came of the newest step. */
export function prunus(options = {}) {
  const sidecar = new Sidecar(options, warn)
  // AI SDK 7 gives the copies of one step to the next step, so remember which message each copy was made of.
  const originals = new WeakMap()

  async function prepareStep(step) {
    const messages = step.messages.map((message) => originals.get(message) ?? message)
    let rows
    const ask = () => {
      rows = toRows(messages)
      return { format: "openai_chat", model: modelName(step.model), body: asBody(step, rows) }
    }
    const pruned = (await sidecar.prune(ask, (body) => putBack(messages, rows, body.messages))) ?? messages
    pruned.forEach((message, index) => {
      if (message !== messages[index]) originals.set(message, messages[index])
    })
    const same = pruned.every((message, index) => message === step.messages[index])
    return same ? undefined : { messages: pruned }
  }

  return Object.defineProperty(prepareStep, "last", { get: () => sidecar.last })
}

function asBody({ model, instructions }, rows) {
  // A step does not tell its tools. One without a name says that there are some.
  const body = { model: modelName(model), tools: [{}], messages: rows.map((row) => row.chat) }
  return typeof instructions === "string" ? { system: instructions, ...body } : body
}

function warn(message) {
  if (globalThis.process?.emitWarning) process.emitWarning(message, "PrunusWarning")
  else console.warn(message)
}

function modelName(model) {
  return typeof model === "string" ? model : (model?.modelId ?? "")
}
