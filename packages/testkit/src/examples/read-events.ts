import { type CloudEvent, cloudEvent } from '@assay/contracts'
import type { Pair } from '../http-suite/target.ts'

const waitMs = 120_000

/**
 * The events that a key may see, from `since` (ISO 8601) to the first one for which `isLast` is true. Rejects after two
 * minutes without it.
 */
export async function readEvents(
  { baseUrl, pair, since }: { baseUrl: string; pair: Pair; since: string },
  isLast: (event: CloudEvent) => boolean,
): Promise<CloudEvent[]> {
  const left = new AbortController()
  const signal = AbortSignal.any([left.signal, AbortSignal.timeout(waitMs)])
  const response = await fetch(`${baseUrl}/catalog-server/api/events?since=${since}`, { headers: { ...pair }, signal })
  const decoder = new TextDecoder()
  const events: CloudEvent[] = []
  let rest = ''
  try {
    for await (const part of response.body ?? []) {
      const frames = `${rest}${decoder.decode(part, { stream: true })}`.split('\n\n')
      rest = frames.pop() ?? ''
      for (const frame of frames) {
        const data = /^data: (.*)$/m.exec(frame)?.[1]
        if (data === undefined) continue
        const event = cloudEvent.parse(JSON.parse(data))
        events.push(event)
        if (isLast(event)) return events
      }
    }
  } finally {
    left.abort()
  }
  throw new Error(`The stream ended (${response.status}) after ${events.length} events, before the last one.`)
}
