import type { Documents } from '@assay/documents'
import { dayMs, type EarlierRun, keptSeriesDays, type PastRun } from '@assay/reliability'
import type { Caller } from '@assay/service-kit'
import { executions } from '../execution/execution.documents.ts'
import type { ShownRuns } from '../reading/masked-outcomes.ts'
import { seriesRuns } from '../series/series.documents.ts'

const runsAtOnce = 50
const valuesAtOnce = 500
/** Maximum number of runs that one request judges. */
const maxRuns = 1_000
/** Maximum number of runs whose values are only history: more than any look-back by runs reads. */
const maxEarlier = 10_000
/** Below this many, the results of older runs are read, which retention keeps longer than series. */
const enoughEarlier = 700
const lookBackMs = keptSeriesDays * dayMs

/** The runs of a policy that a what-if judges, and the values before them. Ascending by time. */
export interface PastRuns {
  judged: PastRun[]
  earlier: EarlierRun[]
  /** Whether there are older runs between `from` and the first of `judged`. */
  hasMore: boolean
  /** When the oldest run that was read began, epoch milliseconds; null without runs. */
  since: number | null
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
  let [read, count] = [0, 0]
  for (let page = 0; read < maxRuns; page += 1) {
    const found = await documents.find(executions, tenant, newestRuns(wanted, page))
    for (const state of await shownRuns.all(call, found.documents)) {
      since = Date.parse(state.run.startedAt)
      if (state.status !== 'succeeded' || state.result.judged === undefined) continue
      const { executionId, startedAt } = state.run
      judged.push({ executionId, startedAt, outcomes: state.result.outcomes, judged: state.result.judged })
    }
    read += found.documents.length
    count = found.count
    if (found.documents.length < runsAtOnce) break
  }
  const first = since ?? wanted.from
  const earlier = judged.length === 0 ? [] : await readEarlier(documents, tenant, { ...wanted, to: first - 1 })
  return { judged: judged.reverse(), earlier, hasMore: count > read, since }
}

/** The values before a time, as far back as look-backs reach. Series have them, or the results of older runs. */
async function readEarlier(
  documents: Pick<Documents, 'find'>,
  tenant: string,
  { policyId, to }: Pick<Wanted, 'policyId' | 'to'>,
): Promise<EarlierRun[]> {
  const from = to - lookBackMs
  const runs: EarlierRun[] = []
  for (let page = 0; runs.length < maxEarlier; page += 1) {
    const found = await documents.find(seriesRuns, tenant, {
      where: [
        { field: 'policyId', is: policyId },
        { field: 'at', from, to },
      ],
      sort: [{ field: 'at', direction: 'desc' }],
      page,
      size: valuesAtOnce,
    })
    runs.push(...found.documents)
    if (found.documents.length < valuesAtOnce) break
  }
  const oldest = runs.at(-1)?.at ?? to + 1
  for (let page = 0; runs.length < enoughEarlier; page += 1) {
    const found = await documents.find(executions, tenant, newestRuns({ policyId, from, to: oldest - 1 }, page))
    for (const state of found.documents) {
      if (state.status !== 'succeeded' || state.result.judged === undefined) continue
      const points = state.result.judged.flatMap(({ key, value }) => (key === null ? [] : [[key, value] as const]))
      const { executionId, startedAt } = state.run
      runs.push({ executionId, at: Date.parse(startedAt), points: Object.fromEntries(points) })
    }
    if (found.documents.length < runsAtOnce) break
  }
  return runs.reverse()
}

function newestRuns({ policyId, from, to }: Wanted, page: number) {
  return {
    where: [
      { field: 'policyId', is: policyId },
      { field: 'startedAt', from, to },
    ],
    sort: [{ field: 'startedAt', direction: 'desc' as const }],
    page,
    size: runsAtOnce,
  }
}
