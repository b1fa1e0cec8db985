import type { LastChange } from '@assay/data-engine'
import { z } from 'zod'
import type { Found, LearnedData, RunGiven } from '../kinds/judging.ts'
import { dayMs } from './clock/pattern.ts'

/** Arrivals that later runs learn from. `newest`: the newest data at the last run. Times are ISO 8601 UTC. */
const arrivals = z.object({ newest: z.string(), times: z.array(z.string()) })
type Arrivals = z.infer<typeof arrivals>

/** What runs of freshness and cadence keep for the next one. */
const learnedArrivals = z.object({
  assetId: z.int(),
  /** Arrivals of the whole table; null: unknown. */
  table: arrivals.nullable(),
  /** Arrivals by time column. */
  columns: z.record(z.string(), arrivals),
  /** Figures at the last run, by `figureName`. */
  figures: z.record(z.string(), z.number()),
})
export type LearnedArrivals = z.infer<typeof learnedArrivals>

/**
 * The name of a figure among those of earlier runs with the same scope. `undefined` for a run over a selected part of the
 * data, which cannot be compared with any other run. Pure.
 */
export function figureName(what: string, { executionType, markKey }: RunGiven): string | undefined {
  if (executionType === 'SELECTIVE') return undefined
  return executionType === 'FULL' ? what : `${what} after ${markKey}`
}

const mostTimes = 1000
const longestMs = 400 * dayMs

/** What earlier runs learned. Empty before the first run, and after the policy was moved to another table. Pure. */
export function learnedBefore({ learned, sides: [{ assetId }] }: RunGiven): LearnedArrivals {
  const nothing = { assetId, table: null, columns: {}, figures: {} }
  if (learned === undefined) return nothing
  const before = learnedArrivals.parse(learned)
  return before.assetId === assetId ? before : nothing
}

/** What the source said about the whole table. Pure. */
export function changeIn(found: readonly Found[]): LastChange | undefined {
  return found.flatMap((one) => (one.kind === 'LAST_CHANGE' ? [one.change] : []))[0]
}

/**
 * The arrivals of the whole table after a run: those that the source reports, and known earlier ones that it no longer
 * reports. Pure.
 */
export function tableArrivals(
  before: LearnedArrivals,
  change: LastChange | undefined,
  startedAt: string,
): Arrivals | null {
  if (change?.at == null) return before.table
  return { newest: change.at, times: kept([...(before.table?.times ?? []), ...change.times], startedAt) }
}

/**
 * The arrivals of newer values in a column. If the source reports the last change of the table, the values arrived at
 * that time; otherwise at the start of this run. The first run takes the arrivals of the table. Pure.
 */
export function columnArrivals(
  before: LearnedArrivals,
  { columnName, newest }: { columnName: string; newest: string },
  table: Arrivals | null,
  startedAt: string,
): Arrivals {
  const known = before.columns[columnName]
  if (known === undefined) return { newest, times: table?.times ?? [startedAt] }
  if (Date.parse(newest) <= Date.parse(known.newest)) return { ...known, newest }
  return { newest, times: kept([...known.times, table?.newest ?? startedAt], startedAt) }
}

function kept(times: readonly string[], startedAt: string): string[] {
  const now = Date.parse(startedAt)
  const distinct = [...new Set(times)].filter((time) => Date.parse(time) <= now && Date.parse(time) > now - longestMs)
  return distinct.sort((one, other) => Date.parse(one) - Date.parse(other)).slice(-mostTimes)
}

/** The data that a run stores for the next one; absent if nothing changed. Pure. */
export function learnedAfter(before: LearnedArrivals, after: LearnedArrivals): { learned?: LearnedData } {
  return JSON.stringify(before) === JSON.stringify(after) ? {} : { learned: { ...after } }
}
