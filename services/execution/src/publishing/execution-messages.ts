import {
  type ExecutedVersionMessage,
  internalTopics,
  publicMessage,
  publicTopics,
  withoutValues,
} from '@assay/contracts'
import type { RecordedEvent } from '@assay/event-store'
import type { Message } from '@assay/message-bus'
import { type Execution, type ExecutionState, hasEnded } from '../execution/execution.ts'
import { executionStatusOf, resultStatusOf } from '../execution/statuses.ts'

/** The published events. Claims of workers are not published. */
const publicTypes = new Set([
  'ExecutionAccepted',
  'ExecutionSucceeded',
  'ExecutionFailed',
  'ExecutionAborted',
  'ProfileRequested',
  'ProfileSucceeded',
  'ProfileFailed',
  'ProfileAborted',
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

/**
 * The public and internal messages for an event of a run. `state`: the run after this event. `isSecret`: its verdict
 * depends on protected columns, so the messages omit it. Pure.
 */
export function executionMessages(
  recorded: RecordedEvent,
  state: Execution,
  isSecret: boolean,
): { topic: string; message: Message }[] {
  // In the log, `Succeeded` means that the work was done. Consumers of the public event would take it for the verdict.
  const event = recorded.type === 'ExecutionSucceeded' ? { ...recorded, type: 'ExecutionFinished' } : recorded
  const { run } = state
  const { policy, sides } = run
  const key = String(run.executionId)
  const before = { executionStatus: 'RUNNING', resultStatus: 'RUNNING' }
  const data = {
    ...(hasEnded(state) ? { before } : {}),
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
  const message = publicMessage('execution', event, { key, subject: `execution/${key}`, data })
  const toPublic = { topic: publicTopics.executions, message }
  const executed = executedVersionOf(state)
  if (executed === undefined) return [toPublic]
  // The key has the tenant, because the topic keeps only the last message of each key.
  const internal = { ...message, key: `${message.tenant}/${policy.id}`, data: executed }
  return [toPublic, { topic: internalTopics.versions, message: internal }]
}
