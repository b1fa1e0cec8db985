import type { DocumentPut, Documents } from '@assay/documents'
import type { CommandContext, CommandHandler } from '@assay/event-store'
import { dayMs, dayOf, type PeriodPoints, type SeriesKey } from '@assay/reliability'
import { executionAggregate } from '../execution/execution.aggregate.ts'
import type { EndedExecution } from '../execution/execution.ts'
import { seriesDayAggregate } from './series.aggregate.ts'
import { seriesDays, seriesRuns } from './series.documents.ts'
import { type SeriesDayCommand, seriesDayId } from './series-day.ts'

/** Puts documents of a stream that are missing or older than its last event. */
async function putIfOutdated(
  documents: Pick<Documents, 'put'>,
  { revision, position }: { revision: number; position: string | undefined },
  stored: () => Promise<{ source: { revision: number } } | undefined>,
  puts: (source: { revision: number; position: string }) => readonly DocumentPut[],
): Promise<void> {
  if (position === undefined) return
  const found = await stored()
  if (found === undefined || found.source.revision < revision) await documents.put(puts({ revision, position }))
}

type Deps = { commands: CommandHandler; documents: Pick<Documents, 'get' | 'put'> }
type EndedRun = EndedExecution['run']

/**
 * Adds the points of a run to the series of its policy, and ensures that look-backs find them: they read documents,
 * which may be missing after the append if the stores share no transaction. Idempotent. Rejects if either step fails;
 * the run register repeats it before the next run starts.
 */
export async function addPoints(
  deps: Deps,
  tenant: string,
  ended: EndedExecution,
  context: CommandContext,
): Promise<void> {
  if (ended.status !== 'succeeded') return
  const { points, periods } = ended.result
  if (points != null && Object.keys(points).length > 0) await addOfRun(deps, tenant, { ...ended.run, points }, context)
  if (periods != null) await addPeriods(deps, tenant, { ...ended.run, periods }, context)
}

async function addToDay(
  { commands, documents }: Deps,
  tenant: string,
  id: string,
  command: SeriesDayCommand,
  context: CommandContext,
): Promise<void> {
  const day = await commands.handle(seriesDayAggregate, { tenant, id, command, context })
  await putIfOutdated(
    documents,
    day,
    () => documents.get(seriesDays, tenant, id),
    (source) => seriesDayAggregate.documents(day.state, { tenant, id }, source),
  )
}

/** Adds the values of periods, each to the day on which the period ends. */
async function addPeriods(
  deps: Deps,
  tenant: string,
  { executionId, startedAt: measuredAt, policy, periods: { ends, points } }: EndedRun & { periods: PeriodPoints },
  context: CommandContext,
): Promise<void> {
  const all = ends.map((at, index) => ({
    at,
    points: Object.fromEntries(Object.entries(points).map(([key, values]) => [key, values[index] ?? null])),
  }))
  for (const [day, periods] of Map.groupBy(all, ({ at }) => dayOf(at))) {
    const id = seriesDayId(policy.id, day * dayMs)
    const command = { type: 'AddPeriods' as const, executionId, measuredAt, periods }
    await addToDay(deps, tenant, id, command, context)
  }
}

async function addOfRun(
  deps: Deps,
  tenant: string,
  { executionId, startedAt, policy, points }: EndedRun & { points: Readonly<Record<SeriesKey, string>> },
  context: CommandContext,
): Promise<void> {
  const id = seriesDayId(policy.id, Date.parse(startedAt))
  const command = { type: 'AddSeriesPoints' as const, executionId, at: startedAt, points }
  await addToDay(deps, tenant, id, command, context)
  const { commands, documents } = deps
  const run = await commands.load(executionAggregate, tenant, executionId)
  await putIfOutdated(
    documents,
    run,
    () => documents.get(seriesRuns, tenant, executionId),
    (source) => executionAggregate.documents(run.state, { tenant, id: String(executionId) }, source),
  )
}
