import type { DocumentPut, Documents } from '@assay/documents'
import type { CommandContext, CommandHandler } from '@assay/event-store'
import { executionAggregate } from '../execution/execution.aggregate.ts'
import type { EndedExecution } from '../execution/execution.ts'
import { seriesDayAggregate } from './series.aggregate.ts'
import { seriesDays, seriesRuns } from './series.documents.ts'
import { seriesDayId } from './series-day.ts'

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

/**
 * Adds the points of a run to the series of its policy, and ensures that look-backs find them: they read documents,
 * which may be missing after the append if the stores share no transaction. Idempotent. Rejects if either step fails;
 * the run register repeats it before the next run starts.
 */
export async function addPoints(
  { commands, documents }: { commands: CommandHandler; documents: Pick<Documents, 'get' | 'put'> },
  tenant: string,
  ended: EndedExecution,
  context: CommandContext,
): Promise<void> {
  const points = ended.status === 'succeeded' ? ended.result.points : undefined
  if (points == null || Object.keys(points).length === 0) return
  const { executionId, startedAt, policy } = ended.run
  const id = seriesDayId(policy.id, Date.parse(startedAt))
  const command = { type: 'AddSeriesPoints' as const, executionId, at: startedAt, points }
  const day = await commands.handle(seriesDayAggregate, { tenant, id, command, context })
  await putIfOutdated(
    documents,
    day,
    () => documents.get(seriesDays, tenant, id),
    (source) => seriesDayAggregate.documents(day.state, { tenant, id }, source),
  )
  const run = await commands.load(executionAggregate, tenant, executionId)
  await putIfOutdated(
    documents,
    run,
    () => documents.get(seriesRuns, tenant, executionId),
    (source) => executionAggregate.documents(run.state, { tenant, id: String(executionId) }, source),
  )
}
