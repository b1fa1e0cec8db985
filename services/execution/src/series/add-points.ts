import type { DocumentPut, Documents } from '@assay/documents'
import type { CommandContext, CommandHandler } from '@assay/event-store'
import { executionAggregate } from '../execution/execution.aggregate.ts'
import type { EndedExecution } from '../execution/execution.ts'
import { seriesDayAggregate } from './series.aggregate.ts'
import { seriesDays, seriesRuns } from './series.documents.ts'
import { seriesDayId } from './series-day.ts'

/** Puts what `look` does not find, made of `state` as the repair would make it. Rejects where it cannot be put. */
async function putWhereBehind(
  documents: Pick<Documents, 'put'>,
  { revision, position }: { revision: number; position: string | undefined },
  look: () => Promise<{ source: { revision: number } } | undefined>,
  puts: (source: { revision: number; position: string }) => readonly DocumentPut[],
): Promise<void> {
  if (position === undefined) return
  const found = await look()
  if (found === undefined || found.source.revision < revision) await documents.put(puts({ revision, position }))
}

/**
 * Adds what a run measured to the series of its policy, and sees to it that look-backs find it: they read documents, which
 * where stores share no transaction may be missing after the append. Is idempotent; runs that measured nothing add nothing.
 * Rejects where either cannot be done yet; the register of runs repeats it before the next run starts.
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
  await putWhereBehind(
    documents,
    day,
    () => documents.get(seriesDays, tenant, id),
    (source) => seriesDayAggregate.documents(day.state, { tenant, id }, source),
  )
  const run = await commands.load(executionAggregate, tenant, executionId)
  await putWhereBehind(
    documents,
    run,
    () => documents.get(seriesRuns, tenant, executionId),
    (source) => executionAggregate.documents(run.state, { tenant, id: String(executionId) }, source),
  )
}
