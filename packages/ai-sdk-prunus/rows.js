// Messages of the AI SDK as chat rows, and the way back.
// A row is `{ chat, at, put }`: a chat message, the index of the message that it shows, and a function that copies
// this message with the texts and arguments of a changed chat message. Parts that no row shows are left alone.

/** The rows of messages. A tool message has a row for each of its results, every other message has one row. */
export function toRows(messages) {
  return messages.flatMap((message, at) => {
    if (message.role !== "tool") return [{ at, ...spokenRow(message) }]
    const results = message.content.map((part, index) => [part, index]).filter(([part]) => part.type === "tool-result")
    return results.map(([part, index]) => ({ at, ...resultRow(part, index) }))
  })
}

/** The messages to send: copies of those whose rows have changed, and the given objects for all others. */
export function putBack(messages, rows, pruned) {
  if (pruned.length !== rows.length) throw new Error("the pruned history has another number of messages")
  const sent = [...messages]
  rows.forEach(({ chat, at, put }, index) => {
    const now = pruned[index]
    if (now.role !== chat.role || now.tool_call_id !== chat.tool_call_id) throw new Error("the messages changed places")
    if (JSON.stringify(now) !== JSON.stringify(chat)) sent[at] = put(sent[at], now)
  })
  return sent
}

/** The row of a message of the system, the user or the model. */
function spokenRow({ role, content }) {
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : content
  const texts = indexes(parts, (part) => part.type === "text")
  const calls = indexes(parts, (part) => part.type === "tool-call" && !part.providerExecuted)
  const chat = { role, content: asContent(texts.map((index) => parts[index].text)) }
  if (calls.length) chat.tool_calls = calls.map((index) => asCall(parts[index]))
  const put = (message, now) => {
    const changed = [...parts]
    asTexts(now.content, texts.length).forEach((text, n) => {
      if (text !== parts[texts[n]].text) changed[texts[n]] = { ...parts[texts[n]], text }
    })
    calls.forEach((index, n) => {
      const given = now.tool_calls[n].function.arguments
      if (given !== chat.tool_calls[n].function.arguments) changed[index] = { ...parts[index], input: JSON.parse(given) }
    })
    return { ...message, content: typeof content === "string" ? changed[0].text : changed }
  }
  return { chat, put }
}

/** The row of one result of a tool. */
function resultRow(part, index) {
  const { texts, replace } = outputOf(part.output)
  const chat = { role: "tool", tool_call_id: part.toolCallId, content: asContent(texts) ?? "" }
  const put = (message, now) => {
    const output = replace(asTexts(now.content, texts.length))
    return { ...message, content: message.content.with(index, { ...part, output }) }
  }
  return { chat, put }
}

/** The texts of a tool's output, and a function that copies the output with other texts. */
function outputOf(output) {
  switch (output.type) {
    case "text":
    case "error-text":
      return { texts: [output.value], replace: ([value]) => ({ ...output, value }) }
    case "json":
    case "error-json": {
      const type = output.type === "json" ? "text" : "error-text"
      return { texts: [JSON.stringify(output.value) ?? ""], replace: ([value]) => ({ ...output, type, value }) }
    }
    case "content": {
      const places = indexes(output.value, (item) => item.type === "text")
      const replace = (texts) => {
        const value = [...output.value]
        places.forEach((place, n) => (value[place] = { ...value[place], text: texts[n] }))
        return { ...output, value }
      }
      return { texts: places.map((place) => output.value[place].text), replace }
    }
    default:
      return { texts: [output.reason ?? ""], replace: () => output }
  }
}

function asCall({ toolCallId, toolName, input }) {
  return { id: toolCallId, type: "function", function: { name: toolName, arguments: JSON.stringify(input ?? {}) } }
}

/** A chat message's content: one text is a string, several texts are a list. */
function asContent(texts) {
  return texts.length > 1 ? texts.map((text) => ({ type: "text", text })) : (texts[0] ?? null)
}

function asTexts(content, count) {
  if (count === 0) return []
  const texts = Array.isArray(content) ? content.map((item) => item.text) : [content ?? ""]
  if (texts.length !== count) throw new Error("a pruned message has another number of texts")
  return texts
}

function indexes(items, wanted) {
  return items.flatMap((item, index) => (wanted(item) ? [index] : []))
}
