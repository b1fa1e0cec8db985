import type { FeedbackRequest, SeriesPoint } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandContext, CommandHandler } from '@assay/event-store'
import type { JudgedPoint } from '@assay/reliability'
import { AssayError } from '@assay/service-kit/errors'
import type { ShownExecution } from '../reading/masked-outcomes.ts'
import { addPoints } from './add-points.ts'
import { seriesDayAggregate } from './series.aggregate.ts'
import { seriesDayId } from './series-day.ts'
import { shownPoint } from './shown-point.ts'

/**
 * Marks points of a run, as its caller sees it. The last feedback on a point counts; repeating it changes nothing. Throws
 * `unprocessable` if there is no such point, or if no later run looks back at it.
 */
export function createGiveFeedback(deps: { documents: Pick<Documents, 'get' | 'put'>; commands: CommandHandler }) {
  return async (
    tenant: string,
    state: ShownExecution,
    { feedback: mark, comment, ...asked }: FeedbackRequest,
    context: CommandContext,
  ): Promise<SeriesPoint[]> => {
    if (state.status !== 'succeeded')
      throw new AssayError('unprocessable', 'This run has no result, so there is nothing to give feedback on.')
    const points = (state.result.judged ?? []).filter((point) => isAsked(point, asked))
    const keys = [...new Set(points.flatMap(({ key }) => key ?? []))]
    if (points.length === 0) throw new AssayError('unprocessable', nothingAsked(asked))
    if (keys.length === 0)
      throw new AssayError('unprocessable', 'No later run is compared with these points, so there is nothing to learn.')
    // Until the run is closed, its series may lack its points.
    await addPoints(deps, tenant, state, context)
    const { executionId, startedAt, policy } = state.run
    for (const [periodEnd, ofPeriod] of Map.groupBy(points, (point) => point.periodEnd)) {
      const keys = [...new Set(ofPeriod.flatMap(({ key }) => key ?? []))]
      const of = periodEnd === undefined ? {} : { periodEnd }
      const command = { type: 'GiveFeedback' as const, executionId, keys, mark, comment: comment ?? null, ...of }
      const id = seriesDayId(policy.id, periodEnd ?? Date.parse(startedAt))
      await deps.commands.handle(seriesDayAggregate, { tenant, id, command, context })
    }
    return points.map((point) => shownPoint(state.run, point, mark))
  }
}

type Asked = Pick<FeedbackRequest, 'ruleItemId' | 'metric' | 'columnName'>

function isAsked({ itemId, metric, columnName, fired }: JudgedPoint, asked: Asked): boolean {
  return (
    (asked.metric === undefined ? fired : metric === asked.metric) &&
    (asked.ruleItemId === undefined || itemId === asked.ruleItemId) &&
    (asked.columnName === undefined || columnName === asked.columnName)
  )
}

function nothingAsked({ metric }: Asked): string {
  return metric === undefined
    ? 'No such point of this run fired. Name the metric of a point that did not fire.'
    : `This run has no such point of the metric ${metric}.`
}
