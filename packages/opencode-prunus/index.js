// An OpenCode plugin that prunes what OpenCode sends with each request. The stored session stays whole.
// OpenCode takes every export of this file for a plugin, so there is one.

import { putBack } from "./put-back.js"
import { Sidecar } from "./sidecar.js"

export const Prunus = async ({ client }, options = {}) => {
  const warn = (message) => {
    client?.app?.log({ body: { service: "prunus", level: "warn", message } })?.catch(() => {})
  }
  const sidecar = new Sidecar(options, warn)
  return {
    "experimental.chat.messages.transform": async (_input, output) => {
      const messages = [...output.messages]
      const ask = () => ({ format: "opencode", model: modelName(messages), body: messages })
      const pruned = await sidecar.prune(ask, (body) => putBack(messages, body))
      // OpenCode keeps its own array, so change this one instead of setting another.
      if (pruned) output.messages.splice(0, output.messages.length, ...pruned)
    },
  }
}

function modelName(messages) {
  return messages.findLast(({ info }) => info.role === "user")?.info.model?.modelID ?? ""
}
