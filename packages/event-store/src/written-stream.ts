import type { Timers } from '@assay/service-kit'
import { parseStreamName } from './port.ts'

/** How long a request waits for the copies of streams. */
const timeoutMs = 2_000
/** After this many quick checks, a request checks less often, so that many waiting requests do not overload the store. */
const quickChecks = 20
const checkMs = 25
const slowCheckMs = 250
/** Maximum number of remembered streams whose copies did not come. No later request waits for them. */
const maxLate = 10_000

/** The state of one stream that a caller has seen. */
export interface WrittenStream {
  category: string
  id: string
  revision: number
}

/**
 * Names the state of a stream after a write, for the header of the answer: `tag-12@3`. Without the tenant, which only
 * the key decides. `undefined` if the name of the stream has another form. Pure.
 */
export function writtenStreamText(stream: string, revision: number): string | undefined {
  const parts = parseStreamName(stream)
  return parts && `${parts.category}-${encodeURIComponent(parts.id)}@${revision}`
}

/** Parses `tag-12@3`; `undefined` for positions of a log and other texts. Pure. */
export function parseWrittenStream(text: string): WrittenStream | undefined {
  const match = /^([^-@]+)-([^@]+)@(\d{1,15})$/.exec(text)
  if (match === null) return undefined
  try {
    return { category: match[1] ?? '', id: decodeURIComponent(match[2] ?? ''), revision: Number(match[3]) }
  } catch {
    return undefined
  }
}

/** Whether it is a position of a log, not the name of a stream. Pure. */
export const isLogPosition = (text: string): boolean => !text.includes('@')

/** The revision of the local copy of a stream, by category; `undefined` if there is no copy. */
export type CopyRevisions = Readonly<Record<string, (tenant: string, id: string) => Promise<number | undefined>>>

/** Waits until local copies include the streams that the caller has seen. */
export type WaitForStreams = (wanted: {
  tenant: string
  seen: readonly string[] | undefined
  signal?: AbortSignal | undefined
}) => Promise<void>

/**
 * Waits up to 2 s until the copies have the revisions in `seen`, or later ones; the caller then continues with the
 * copies as they are, and no other request waits for those that did not come. Ignores positions of a log, and
 * categories that `revisionOf` lacks. A category in `revisionOf` must have a message for each of its events.
 */
export function createWaitForStreams(deps: {
  timers: Pick<Timers, 'sleep'>
  revisionOf: CopyRevisions
}): WaitForStreams {
  const { timers, revisionOf } = deps
  const late = new Set<string>()
  const keyOf = (tenant: string, { category, id, revision }: WrittenStream) =>
    JSON.stringify([tenant, category, id, revision])

  async function behind(tenant: string, streams: readonly WrittenStream[]): Promise<WrittenStream[]> {
    const revisions = await Promise.all(streams.map(({ category, id }) => revisionOf[category]?.(tenant, id)))
    return streams.filter(({ revision }, index) => (revisions[index] ?? -1) < revision)
  }

  return async ({ tenant, seen = [], signal }) => {
    const named = seen.flatMap((text) => parseWrittenStream(text) ?? [])
    const copied = named.filter((one) => Object.hasOwn(revisionOf, one.category) && !late.has(keyOf(tenant, one)))
    if (copied.length === 0) return
    let left = await behind(tenant, copied)
    for (let checks = 0, waited = 0; left.length > 0 && waited < timeoutMs && signal?.aborted !== true; checks += 1) {
      const pauseMs = checks < quickChecks ? checkMs : slowCheckMs
      await timers.sleep(pauseMs, signal)
      waited += pauseMs
      left = await behind(tenant, left)
    }
    if (signal?.aborted === true) return
    for (const one of left) late.add(keyOf(tenant, one))
    for (const oldest of late) {
      if (late.size <= maxLate) break
      late.delete(oldest)
    }
  }
}
