import type { WriteOutcome } from '../../../packages/testkit/src/index.ts'
import type { System } from './system.ts'

/** Longer than the gateway's own deadline. */
const timeoutMs = 12_000

export interface Answer {
  outcome: WriteOutcome
  /** 0 when there was no answer. */
  status: number
  json: unknown
}

function outcomeOf(status: number): WriteOutcome {
  if (status >= 200 && status < 300) return 'acknowledged'
  return status >= 400 && status < 500 ? 'refused' : 'unknown'
}

/** Calls the gateway's API once, as the administrator; never throws. */
export type Call = (method: string, path: string, body?: unknown) => Promise<Answer>

export function createCall({ url, admin }: Pick<System, 'url' | 'admin'>): Call {
  return async (method, path, body) => {
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { ...admin, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(timeoutMs),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      const { status } = response
      return { outcome: outcomeOf(status), status, json: text === '' ? undefined : JSON.parse(text) }
    } catch {
      // No answer, or only a part of one.
      return { outcome: 'unknown', status: 0, json: undefined }
    }
  }
}
