import { createHmac } from 'node:crypto'

const prefix = 'whsec_'

/**
 * The headers of Standard Webhooks 1.0. `secrets`: the current one first; `at`: epoch milliseconds of the attempt. Pure.
 */
export function signedHeaders(of: {
  id: string
  at: number
  body: string
  secrets: readonly string[]
}): Record<string, string> {
  const timestamp = String(Math.floor(of.at / 1_000))
  const signed = `${of.id}.${timestamp}.${of.body}`
  const signatures = of.secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  })
  return {
    'webhook-id': of.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}

/** A secret for a webhook. `bytes`: 32 random ones. */
export const secretOf = (bytes: Uint8Array): string => `${prefix}${Buffer.from(bytes).toString('base64')}`
