/** How to reach the proxy. */
export interface PrunusOptions {
  /** The address of the proxy. Default: the variable `PRUNUS_URL`, or `http://127.0.0.1:8787`. */
  url?: string
  /** The token of the proxy, if it wants one. Default: the variable `PRUNUS_TOKEN`. */
  token?: string
  /** Milliseconds to wait before the history is sent as it was. Default: the variable `PRUNUS_TIMEOUT`, or 2000. */
  timeout?: number
  /** Accepted, and makes no difference: Prunus finds the conversation by its messages. */
  key?: string
}

/** The numbers of one pruned request. The proxy may add more of them. */
export interface PrunusReport {
  tokens_before: number
  tokens_after: number
  [name: string]: unknown
}

/** What came of a step: a report, or the reason why its history was sent as it was. */
export type PrunusResult = { report: PrunusReport; error?: undefined } | { report?: undefined; error: string }

/** What Prunus reads of a step of AI SDK 6 and 7. */
export interface Step<Message> {
  messages: Message[]
  model?: unknown
  /** AI SDK 7 only. */
  instructions?: unknown
}

export interface PruningStep {
  /** Returns the messages to send, or undefined if they are those of the step. It never rejects. */
  <Message>(step: Step<Message>): Promise<{ messages: Message[] } | undefined>
  /** What came of the newest step; undefined before the first one. */
  readonly last: PrunusResult | undefined
}

/** A `prepareStep` for `generateText`, `streamText` and agents. Use one for all calls of a process. */
export function prunus(options?: PrunusOptions): PruningStep
