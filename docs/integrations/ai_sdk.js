// An agent of the AI SDK whose requests are pruned.

import { generateText, stepCountIs } from "ai"
import { prunus } from "ai-sdk-prunus"

export const prepareStep = prunus()

export function answer(model, tools, messages) {
  return generateText({ model, tools, messages, stopWhen: stepCountIs(50), prepareStep })
}
