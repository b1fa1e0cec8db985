import type { CommandContext, CommandHandler } from '@assay/event-store'
import type { EndedExecution } from '../execution/execution.ts'
import { seriesDayAggregate } from './series.aggregate.ts'
import { seriesDayId } from './series-day.ts'

/** Adds what a run measured to the series of its policy. Is idempotent; runs that measured nothing add nothing. */
export async function addPoints(
  commands: CommandHandler,
  tenant: string,
  ended: EndedExecution,
  context: CommandContext,
): Promise<void> {
  const points = ended.status === 'succeeded' ? ended.result.points : undefined
  if (points == null || Object.keys(points).length === 0) return
  const { executionId, startedAt, policy } = ended.run
  await commands.handle(seriesDayAggregate, {
    tenant,
    id: seriesDayId(policy.id, Date.parse(startedAt)),
    command: { type: 'AddSeriesPoints', executionId, at: startedAt, points },
    context,
  })
}
