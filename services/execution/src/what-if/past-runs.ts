import type { Documents } from '@assay/documents'
import { dayMs, type EarlierValues, keptSeriesDays, type PastRun } from '@assay/reliability'
import type { Caller } from '@assay/service-kit'
import { executions } from '../execution/execution.documents.ts'
import { runsOfPolicy } from '../execution/read-runs.ts'
import type { ShownRuns } from '../reading/masked-outcomes.ts'
import { inParts } from '../running/in-parts.ts'
import { seriesRuns } from '../series/series.documents.ts'
import { firstPeriods, readEarlierPeriods } from './earlier-periods.ts'

const valuesAtOnce = 500
/** Maximum number of runs that one request judges. */
const maxRuns = 1_000
/** Maximum number of runs whose values are only history: more than any look-back by runs reads. */
const maxEarlier = 10_000
/** If series have fewer values than this, the results of older runs are read, because retention keeps results longer. */
const enoughEarlier = 700
/** Maximum number of points that one request judges, and of values that are only history: wide tables have thousands per run. */
const maxJudged = 200_000
const maxValues = 1_000_000
const lookBackMs = keptSeriesDays * dayMs

/** The runs of a policy that a what-if judges, and the values before them. Ascending by time. */
export interface PastRuns {
  judged: PastRun[]
  earlier: EarlierValues[]
  /** Whether there are older runs between `from` and the first of `judged`. */
  hasMore: boolean
  /** When the oldest run that was read began, epoch milliseconds; null without runs. */
  since: number | null
  /** The time of the oldest of all values, epoch milliseconds. */
  oldest: number
}

interface Wanted {
  policyId: number
  /** Epoch milliseconds. */
  from: number
  to: number
}

/** Reads the newest runs with results, as the caller may see them, and the values before them. */
export async function readPastRuns(
  { documents, shownRuns }: { documents: Pick<Documents, 'find'>; shownRuns: ShownRuns },
  call: Caller,
  wanted: Wanted,
): Promise<PastRuns> {
  const { tenant } = call.identity
  const judged: PastRun[] = []
  let since: number | null = null
  let values = 0
  for await (const part of runsOfPolicy(documents, tenant, { ...wanted, most: maxRuns })) {
    for (const state of await shownRuns.all(call, part)) {
      since = Date.parse(state.run.startedAt)
      if (state.status !== 'succeeded' || state.result.judged === undefined) continue
      const { executionId, startedAt } = state.run
      judged.push({ executionId, startedAt, outcomes: state.result.outcomes, judged: state.result.judged })
      values += state.result.judged.length
    }
    if (values >= maxJudged) break
  }
  const first = since ?? wanted.from
  const ofRuns = judged.length === 0 ? [] : await readEarlier(documents, tenant, { ...wanted, to: first - 1 })
  const firsts = firstPeriods(judged)
  const ofPeriods = await readEarlierPeriods(documents, { tenant, policyId: wanted.policyId }, firsts)
  const earlier = [...ofRuns, ...ofPeriods].sort((one, other) => one.at - other.at)
  return {
    judged: judged.reverse(),
    earlier,
    hasMore: since !== null && (await hasRuns(documents, tenant, { ...wanted, to: since - 1 })),
    since,
    oldest: [...firsts.values()].reduce((least, at) => Math.min(least, at), earlier[0]?.at ?? first),
  }
}

/**
 * The values before a time, as far back as look-backs reach. They come from series, or from the results of older runs.
 */
async function readEarlier(
  documents: Pick<Documents, 'find'>,
  tenant: string,
  { policyId, to }: Pick<Wanted, 'policyId' | 'to'>,
): Promise<EarlierValues[]> {
  const from = to - lookBackMs
  const runs: EarlierValues[] = []
  let [until, values] = [to, 0]
  const read = async (size: number) => {
    const { documents: found } = await documents.find(seriesRuns, tenant, {
      where: [
        { field: 'policyId', is: policyId },
        { field: 'at', from, to: until },
      ],
      sort: [{ field: 'at', direction: 'desc' }],
      size,
    })
    until = (found.at(-1)?.at ?? until) - 1
    return { documents: found, isEnd: found.length < size }
  }
  const valuesIn = ({ points }: EarlierValues) => Object.keys(points).length
  for await (const part of inParts({ atOnce: valuesAtOnce, read, valuesIn })) {
    runs.push(...part)
    values += part.reduce((sum, one) => sum + valuesIn(one), 0)
    if (runs.length >= maxEarlier || values >= maxValues) return runs.reverse()
  }
  const oldest = runs.at(-1)?.at ?? to + 1
  for await (const part of runsOfPolicy(documents, tenant, { policyId, from, to: oldest - 1, most: maxEarlier })) {
    for (const state of part) {
      if (state.status !== 'succeeded' || state.result.judged === undefined) continue
      const points = state.result.judged.flatMap(({ key, value, periodEnd }) =>
        key === null || periodEnd !== undefined ? [] : [[key, value] as const],
      )
      const { executionId, startedAt } = state.run
      runs.push({ executionId, at: Date.parse(startedAt), points: Object.fromEntries(points) })
      values += points.length
    }
    if (runs.length >= enoughEarlier || values >= maxValues) break
  }
  return runs.reverse()
}

/** Whether a run of the policy started within a time. */
async function hasRuns(documents: Pick<Documents, 'find'>, tenant: string, { policyId, from, to }: Wanted) {
  const where = [
    { field: 'policyId', is: policyId },
    { field: 'startedAt', from, to },
  ]
  return (await documents.find(executions, tenant, { where, size: 0 })).count > 0
}
