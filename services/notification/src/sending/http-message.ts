import { z } from 'zod'
import { opsgenieRequest } from './alert-messages.ts'
import type { HttpMessage } from './http-sender.ts'
import { signedHeaders } from './signature.ts'

/** A channel whose messages are sent by POST, with its secrets in clear. */
export type OpenedChannel =
  | { type: 'WEBHOOK'; url: string; headers: Readonly<Record<string, string>>; secrets: readonly string[] }
  | { type: 'SLACK' | 'TEAMS'; url: string }
  | { type: 'PAGERDUTY'; url: string; routingKey: string }
  | { type: 'OPSGENIE'; url: string; apiKey: string }

/** The default addresses of alert services. */
export const alertUrls = {
  PAGERDUTY: 'https://events.pagerduty.com/v2/enqueue',
  OPSGENIE: 'https://api.opsgenie.com',
} as const

const json = z.record(z.string(), z.json())

/** The request of an attempt. `body`: as it is stored; `at`: epoch milliseconds. Pure. */
export function httpMessageOf(
  opened: OpenedChannel,
  { id, body, at }: { id: string; body: string; at: number },
): HttpMessage {
  const { url } = opened
  switch (opened.type) {
    case 'WEBHOOK': {
      const { headers, secrets } = opened
      return { url, headers: { ...headers, ...signedHeaders({ id, at, body, secrets }) }, body }
    }
    case 'SLACK':
    case 'TEAMS':
      return { url, headers: {}, body }
    case 'PAGERDUTY': {
      const event = json.parse(JSON.parse(body))
      return { url, headers: {}, body: JSON.stringify({ routing_key: opened.routingKey, ...event }) }
    }
    case 'OPSGENIE': {
      const { path, payload } = opsgenieRequest.parse(JSON.parse(body))
      const headers = { authorization: `GenieKey ${opened.apiKey}` }
      return { url: `${url.replace(/\/$/, '')}${path}`, headers, body: JSON.stringify(payload) }
    }
    default:
      return opened satisfies never
  }
}
