// A session of OpenCode in which one file is read again and again.

const FILE = Array.from({ length: 80 }, (_, n) => `${n + 1}: # line ${n} of the file\n`).join("")

/** The messages of a session with this many reads, as OpenCode gives them to plugins. */
export function session(reads) {
  const user = { id: "msg_0", sessionID: "ses_1", role: "user", model: { providerID: "local", modelID: "gpt-5" } }
  const prompt = { id: "prt_0", sessionID: "ses_1", messageID: "msg_0", type: "text", text: "Look at a.py." }
  const steps = Array.from({ length: reads }, (_, n) => {
    const ids = (k) => ({ id: `prt_${n + 1}_${k}`, sessionID: "ses_1", messageID: `msg_${n + 1}` })
    const state = { status: "completed", input: { filePath: "/p/a.py" }, output: FILE, title: "a.py", metadata: {} }
    return {
      info: { id: `msg_${n + 1}`, sessionID: "ses_1", role: "assistant", modelID: "gpt-5", summary: undefined },
      parts: [
        { ...ids(0), type: "step-start" },
        { ...ids(1), type: "text", text: `Look number ${n + 1}.` },
        { ...ids(2), type: "tool", tool: "read", callID: `call_${n + 1}`, state },
        { ...ids(3), type: "step-finish", reason: "tool-calls" },
      ],
    }
  })
  return [{ info: user, parts: [prompt] }, ...steps]
}
