import type { Pair } from '../http-suite/target.ts'

const waitMs = 120_000

/** The text of a stream of events up to its first complete event. Rejects after two minutes without one. */
export async function firstEvent(url: string, pair: Pair): Promise<string> {
  const response = await fetch(url, { headers: { ...pair }, signal: AbortSignal.timeout(waitMs) })
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of response.body ?? []) {
    text += decoder.decode(part, { stream: true })
    // An event ends with an empty line.
    const whole = /^[\s\S]*?^data: .*\n\n/m.exec(text)?.[0]
    if (whole !== undefined) return whole
  }
  throw new Error(`${url} ended (${response.status}) before its first event: ${text}`)
}
