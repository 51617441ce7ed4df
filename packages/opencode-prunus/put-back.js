// Takes the changes of a pruned history over into OpenCode's messages.

/**
 * The messages to send: copies of those that have changed, and the given objects for all others.
 * Messages are found by their ids, so their number and order stay.
 */
export function putBack(messages, pruned) {
  const found = new Map(pruned.map((message) => [message.info.id, message]))
  return messages.map((message) => {
    const now = found.get(message.info.id)
    if (!now || same(now.parts, message.parts)) return message
    return { ...message, parts: partsOf(message, now) }
  })
}

/** The parts of a pruned message. An unchanged part is the given object; a part that Prunus left out stays away. */
function partsOf(message, now) {
  const given = new Map(message.parts.map((part) => [part.id, part]))
  return now.parts.map((part) => {
    const old = given.get(part.id)
    if (!old || old.callID !== part.callID) throw new Error("a pruned message has a part that it did not have")
    return same(old, part) ? old : part
  })
}

function same(a, b) {
  return JSON.stringify(a) === JSON.stringify(b)
}
