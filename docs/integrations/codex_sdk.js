// An agent of the Codex SDK behind a Prunus proxy.

import { Codex } from "@openai/codex-sdk"

const codex = new Codex({ baseUrl: `${process.env.PRUNUS_URL ?? "http://127.0.0.1:8787"}/v1` })

export async function talk(prompts, options) {
  const thread = codex.startThread(options)
  const answers = []
  for (const prompt of prompts) answers.push((await thread.run(prompt)).finalResponse)
  return answers
}
