import type { Documents } from '@assay/documents'
import { dayMs, type EarlierValues, keptSeriesDays, type PastRun, type SeriesKey } from '@assay/reliability'
import { readSeriesDays } from '../series/read-days.ts'

/** For each series by period: the end of the first period that a run judged, in epoch milliseconds. Pure. */
export function firstPeriods(runs: readonly PastRun[]): Map<SeriesKey, number> {
  const firsts = new Map<SeriesKey, number>()
  for (const { judged } of runs)
    for (const { key, periodEnd } of judged)
      if (key !== null && periodEnd !== undefined) firsts.set(key, Math.min(firsts.get(key) ?? periodEnd, periodEnd))
  return firsts
}

/** The values of the periods before the judged ones, as far back as look-backs reach. Ascending by time. */
export async function readEarlierPeriods(
  documents: Pick<Documents, 'find'>,
  { tenant, policyId }: { tenant: string; policyId: number },
  firsts: ReadonlyMap<SeriesKey, number>,
): Promise<EarlierValues[]> {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const first of firsts.values()) [from, to] = [Math.min(from, first), Math.max(to, first)]
  if (firsts.size === 0) return []
  const found: EarlierValues[] = []
  const asked = { tenant, policyId, from: from - keptSeriesDays * dayMs, to }
  for await (const { periods } of readSeriesDays(documents, asked))
    for (const { at, points } of periods) {
      const before = Object.entries(points).filter(([key]) => at < (firsts.get(key) ?? at))
      if (before.length > 0) found.push({ periodEnd: at, at, points: Object.fromEntries(before) })
    }
  return found.sort((one, other) => one.at - other.at)
}
