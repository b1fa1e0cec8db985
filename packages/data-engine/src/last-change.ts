import type { DatasetLocator } from './dataset.ts'

/** The request for what a source says about a dataset without reading its rows. */
export interface LastChangePlan {
  dataset: DatasetLocator
}

/** What a source says about a dataset without reading all its rows. Times are ISO 8601 UTC. */
export interface LastChange {
  /** When the data last changed; null if the source does not say. */
  at: string | null
  /** The source of `at`. */
  source: 'FILE_TIME' | 'INFORMATION_SCHEMA' | 'OFFSET' | null
  /** The distinct times at which its files changed or its messages arrived, ascending. Has at most the newest 1,000. */
  times: string[]
  /** The files and their stored bytes; null if the data has no files of its own. */
  files: number | null
  bytes: number | null
  /** Bytes of the newest file. */
  newestBytes: number | null
  /** The number of stored messages; null if it is not a topic. */
  messages: number | null
  /** If it equals the `state` of a profile, no row has changed since that profile. Null if the source does not say. */
  state: string | null
  elapsedMs: number
}

const nothing = {
  ...{ at: null, source: null, times: [], files: null, bytes: null, newestBytes: null },
  ...{ messages: null, state: null },
}

/** The answer for a dataset whose source says nothing without reading its rows. Pure. */
export function nothingKnown(elapsedMs: number): LastChange {
  return { ...nothing, elapsedMs }
}

const maxTimes = 1000

/** The answer for a dataset in files. `mtimeMs`: epoch milliseconds. Pure. */
export function changeOfFiles(
  files: readonly { size: number; mtimeMs: number }[],
  { state, elapsedMs }: Pick<LastChange, 'state' | 'elapsedMs'>,
): LastChange {
  const times = new Set<number>()
  let [bytes, newestAt, newestBytes] = [0, Number.NEGATIVE_INFINITY, 0]
  for (const { size, mtimeMs } of files) {
    const at = Math.floor(mtimeMs)
    times.add(at)
    bytes += size
    // If several files changed at the same time, takes the largest one.
    if (at > newestAt || (at === newestAt && size > newestBytes)) [newestAt, newestBytes] = [at, size]
  }
  const ascending = [...times].sort((a, b) => a - b).slice(-maxTimes)
  const newest = ascending.at(-1)
  return {
    at: newest === undefined ? null : isoOf(newest),
    source: newest === undefined ? null : 'FILE_TIME',
    times: ascending.map(isoOf),
    files: files.length,
    bytes,
    newestBytes: newest === undefined ? null : newestBytes,
    messages: null,
    state,
    elapsedMs,
  }
}

/** The answer for a topic. `arrivedAt`: epoch milliseconds of its newest messages. Pure. */
export function changeOfTopic(messages: number, arrivedAt: readonly number[], elapsedMs: number): LastChange {
  const times = [...new Set(arrivedAt)]
    .sort((a, b) => a - b)
    .slice(-maxTimes)
    .map(isoOf)
  const at = times.at(-1) ?? null
  return { ...nothingKnown(elapsedMs), at, source: at === null ? null : 'OFFSET', times, messages }
}

const isoOf = (time: number) => new Date(time).toISOString()
