// Asks a Prunus proxy to prune a history, and never fails: without a good answer in time there is none.
// The three packages share this file; a test checks that their copies are equal.

// Not every runtime has a process.
const ENVIRONMENT = globalThis.process?.env ?? {}
const ADDRESS = "http://127.0.0.1:8787"
const PATIENCE = 2000

export class Sidecar {
  #url
  #token
  #timeout
  #warn
  #warned = false

  /** What came of the newest request: `report`, or `error` if the history was sent as it was. */
  last = undefined

  /** `warn` is called with a sentence when pruning begins to fail. */
  constructor({ url, token, timeout } = {}, warn = () => {}) {
    this.#url = `${url || ENVIRONMENT.PRUNUS_URL || ADDRESS}`.replace(/\/$/, "") + "/v1/prune"
    this.#token = token || ENVIRONMENT.PRUNUS_TOKEN
    this.#timeout = timeout ?? (Number(ENVIRONMENT.PRUNUS_TIMEOUT) || PATIENCE)
    this.#warn = warn
  }

  /**
   * Sends the request that `ask` makes, and returns what `putBack` makes of the pruned body.
   * Returns undefined if anything on the way fails.
   */
  async prune(ask, putBack) {
    try {
      const answer = await this.#post(ask())
      const result = putBack(answer.body)
      this.last = { report: answer.report }
      this.#warned = false
      return result
    } catch (error) {
      const reason = [error?.message ?? error, error?.cause?.message].filter(Boolean).join(": ")
      this.last = { error: reason }
      this.#complain(reason)
      return undefined
    }
  }

  async #post(request) {
    const response = await fetch(this.#url, {
      method: "POST",
      headers: { "content-type": "application/json", ...(this.#token && { "x-prunus-token": this.#token }) },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(this.#timeout),
    })
    if (!response.ok) throw new Error(`the proxy answered ${response.status}`)
    const answer = await response.json()
    if (answer.error) throw new Error(answer.error)
    return answer
  }

  #complain(reason) {
    if (this.#warned) return
    this.#warned = true
    try {
      this.#warn(`Prunus prunes nothing (${this.#url}: ${reason}). Does \`prunus proxy\` run there?`)
    } catch {
      // A warning that cannot be shown is no reason to stop the agent.
    }
  }
}
