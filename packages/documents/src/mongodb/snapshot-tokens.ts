import type { DocumentRecord } from './record.ts'

/**
 * Snapshot tokens. A token contains a time and the MongoDB collection, because a rebuild writes all records again. It
 * reveals nothing about other tenants, and is valid in every process.
 */
const form = /^([0-9a-z]{1,11})-(v[0-9]+_[0-9]+)$/

/**
 * Timestamps of one process, in epoch milliseconds. A record written after a token was issued has a later timestamp.
 */
export interface Timestamps {
  ofToken(): number
  ofWrite(): number
}

export function createTimestamps(now: () => number): Timestamps {
  let latest = 0
  return {
    ofToken() {
      latest = Math.max(latest, now())
      return latest
    },
    ofWrite: () => Math.max(now(), latest + 1),
  }
}

const suffixOf = (name: string, live: string): string => live.slice(name.length + 1)

/**
 * A token of `live`, the MongoDB collection of the read model `name`, at `time`. It covers all documents in `shown`,
 * even if their writers' clocks are ahead.
 */
export function tokenOf(name: string, live: string, time: number, shown: readonly DocumentRecord[]): string {
  const latest = shown.reduce((most, { since = 0 }) => Math.max(most, since), time)
  return `${latest.toString(36)}-${suffixOf(name, live)}`
}

/** The time of a token; `undefined` if the text is not a token of `live`. */
export function timeOf(name: string, live: string, token: string | undefined): number | undefined {
  const [, time, suffix] = form.exec(token ?? '') ?? []
  return time === undefined || suffix !== suffixOf(name, live) ? undefined : Number.parseInt(time, 36)
}
