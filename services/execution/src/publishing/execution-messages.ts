import {
  type ExecutedVersionMessage,
  executedRevision,
  type Feedback,
  internalTopics,
  publicMessage,
  publicTopics,
  withoutValues,
} from '@assay/contracts'
import { type RecordedEvent, stateText } from '@assay/event-store'
import type { Message } from '@assay/message-bus'
import { type Execution, type ExecutionState, hasEnded } from '../execution/execution.ts'
import { executionStatusOf, resultStatusOf } from '../execution/statuses.ts'
import type { RunSummary } from './run-summary.ts'

/** The published events. Claims of workers, and alarms that only raise the count of an incident, are not published. */
const publicTypes = new Set([
  'ExecutionAccepted',
  'ExecutionSucceeded',
  'ExecutionFailed',
  'ExecutionAborted',
  'FeedbackGiven',
  'ProfileRequested',
  'ProfileSucceeded',
  'ProfileFailed',
  'ProfileAborted',
  'IncidentOpened',
  'IncidentWorsened',
  'IncidentRecovered',
  'IncidentAcknowledged',
  'IncidentAcknowledgementWithdrawn',
  'IncidentSnoozed',
  'IncidentSnoozeEnded',
  'IncidentAssigned',
  'IncidentClosed',
])

export function isPublic(event: Pick<RecordedEvent, 'type'>): boolean {
  return publicTypes.has(event.type)
}

/** The policy version that a successful run executed; `undefined` for other runs. Pure. */
export function executedVersionOf(state: ExecutionState): ExecutedVersionMessage | undefined {
  if (state.status !== 'succeeded') return undefined
  const { policy, executionId } = state.run
  return { policyId: policy.id, version: policy.version, executionId, finishedAt: state.finishedAt }
}

/** What a caller who has seen the run should find at the policy service: the executed version. Pure. */
export function statesOf(state: ExecutionState): string[] {
  const executed = executedVersionOf(state)
  return executed === undefined ? [] : [stateText('executedversion', executed.policyId, executedRevision(executed))]
}

/**
 * The public and internal messages for an event of a run. `state`: the run after this event. `isSecret`: its verdict
 * depends on protected columns, so the messages omit it. Pure.
 */
export function executionMessages(
  recorded: RecordedEvent,
  state: Execution,
  { isSecret, summary }: { isSecret: boolean; summary?: RunSummary | undefined },
): { topic: string; message: Message }[] {
  // In the log, `Succeeded` means that the work was done. Consumers of the public event would take it for the verdict.
  const event = recorded.type === 'ExecutionSucceeded' ? { ...recorded, type: 'ExecutionFinished' } : recorded
  const key = String(state.run.executionId)
  const before = { executionStatus: 'RUNNING', resultStatus: 'RUNNING' }
  const data = { ...(hasEnded(state) ? { before } : {}), ...dataOf(state, isSecret), ...(summary && { summary }) }
  const message = publicMessage('execution', event, { key, subject: `execution/${key}`, data })
  const toPublic = { topic: publicTopics.executions, message }
  const executed = executedVersionOf(state)
  if (executed === undefined) return [toPublic]
  // The key has the tenant, because the topic keeps only the last message of each key.
  const internal = { ...message, key: `${message.tenant}/${executed.policyId}`, data: executed }
  return [toPublic, { topic: internalTopics.versions, message: internal }]
}

/** The public message for feedback on points of a run. `before`: the feedback on them until then. Pure. */
export function feedbackMessages(
  recorded: RecordedEvent,
  { state, isSecret }: { state: Execution; isSecret: boolean },
  { before, mark, comment }: { before: Feedback | null; mark: Feedback; comment: string | null },
): { topic: string; message: Message }[] {
  const key = String(state.run.executionId)
  const data = { before: { feedback: before }, ...dataOf(state, isSecret), feedback: mark, comment }
  return [
    {
      topic: publicTopics.executions,
      message: publicMessage('execution', recorded, { key, subject: `execution/${key}`, data }),
    },
  ]
}

function dataOf(state: Execution, isSecret: boolean) {
  const { run } = state
  const { policy, sides } = run
  return {
    executionId: run.executionId,
    policyId: policy.id,
    policyName: policy.name,
    policyType: policy.type,
    policyVersion: policy.version,
    assetId: sides[0].assetId,
    assetUid: sides[0].uid,
    executionStatus: executionStatusOf(state),
    ...(isSecret
      ? {}
      : {
          resultStatus: resultStatusOf(state),
          qualityScore: state.status === 'succeeded' ? state.result.qualityScore : null,
        }),
    startedAt: run.startedAt,
    finishedAt: 'finishedAt' in state ? state.finishedAt : null,
    error: state.status === 'failed' ? withoutValues(state.error) : null,
  }
}
