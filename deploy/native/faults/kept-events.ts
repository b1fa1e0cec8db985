import { z } from 'zod'
import { publicTopics } from '../../../packages/contracts/src/index.ts'
import type { ExpectedKeptEvent } from '../../../packages/testkit/src/index.ts'
import type { Sent } from './reading-only.ts'

const topics = new Set<string>(Object.values(publicTopics))
const named = z.object({ type: z.string(), subject: z.string() })

/** Everything kept of a public event except the time and the process that kept it. */
export function keptText(kept: {
  tenant: string
  position: string
  topic: string
  type: string
  subject: string
  event: unknown
}): string {
  const { tenant, position, topic, type, subject, event } = kept
  return JSON.stringify({ tenant, position, topic, type, subject, event })
}

/** The public events that must be kept for readers. */
export function expectedKeptEvents(sent: readonly Sent[]): ExpectedKeptEvent[] {
  return sent
    .filter(({ topic }) => topics.has(topic))
    .map(({ topic, message: { id, key, tenant, position, data } }) => {
      // As a store returns it: without `undefined` fields.
      const event: unknown = JSON.parse(JSON.stringify(data))
      const { type, subject } = named.parse(event)
      return { id, key: `${topic} ${key}`, text: keptText({ tenant, position, topic, type, subject, event }) }
    })
}
