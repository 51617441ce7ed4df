/** What Prunus uses of the context that pi gives to handlers. */
export interface RequestContext {
  model?: { api: string } | undefined
  ui?: { notify(message: string, type?: "warning"): void }
}

/** What Prunus uses of pi's extension API. */
export interface ExtensionHost {
  on(
    event: "before_provider_request",
    handler: (event: { payload: unknown }, context: RequestContext) => Promise<unknown>,
  ): unknown
}

/** The extension. It is set by the variables `PRUNUS_URL`, `PRUNUS_TOKEN` and `PRUNUS_TIMEOUT`. */
export default function prunus(pi: ExtensionHost): void
