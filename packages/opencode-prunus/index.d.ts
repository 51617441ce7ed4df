/** What Prunus uses of the input that OpenCode gives to plugins. */
export interface PluginHost {
  client?: {
    app?: {
      log(entry: { body: { service: string; level: "warn"; message: string } }): Promise<unknown>
    }
  }
}

/** How to reach the proxy. */
export interface PrunusOptions {
  /** The address of the proxy. Default: the variable `PRUNUS_URL`, or `http://127.0.0.1:8787`. */
  url?: string
  /** The token of the proxy, if it wants one. Default: the variable `PRUNUS_TOKEN`. */
  token?: string
  /** Milliseconds to wait before the history is sent as it was. Default: the variable `PRUNUS_TIMEOUT`, or 2000. */
  timeout?: number
}

/** What Prunus reads of a message of OpenCode. */
export interface SessionMessage {
  info: { id: string; sessionID: string; role: string }
  parts: { id: string; type: string }[]
}

export interface PrunusHooks {
  /** Replaces the changed messages in the array of `output`. It never rejects. */
  "experimental.chat.messages.transform"(input: unknown, output: { messages: SessionMessage[] }): Promise<void>
}

/** The plugin. */
export function Prunus(host: PluginHost, options?: PrunusOptions): Promise<PrunusHooks>
