import { type CloudEvent, type ExecutedVersionMessage, internalTopics, publicTopics } from '@assay/contracts'
import type { RecordedEvent } from '@assay/event-store'
import type { Message } from '@assay/message-bus'
import type { Execution } from '../execution/execution.ts'
import { executionStatusOf, resultStatusOf } from '../execution/statuses.ts'

/** What the world is told of: not how workers share the work. */
const publicTypes = new Set(['ExecutionAccepted', 'ExecutionSucceeded', 'ExecutionFailed', 'ExecutionAborted'])

export function isPublic(event: RecordedEvent): boolean {
  return publicTypes.has(event.type)
}

/** What an event of a run tells the world and the other services. `state`: the run after this event. Pure. */
export function executionMessages(event: RecordedEvent, state: Execution): { topic: string; message: Message }[] {
  const { run } = state
  const { rule } = run.policy
  const { tenant, traceparent } = event.metadata
  const key = String(run.executionId)
  const type = `io.assay.execution.${event.type}`
  const frame = { id: event.id, type, tenant, time: event.metadata.occurredAt, position: event.position, traceparent }
  const cloudEvent: CloudEvent = {
    specversion: '1.0',
    id: event.id,
    source: '/assay/execution',
    type,
    subject: `execution/${key}`,
    time: event.metadata.occurredAt,
    datacontenttype: 'application/json',
    tenant,
    ...(traceparent === undefined ? {} : { traceparent }),
    data: {
      executionId: run.executionId,
      policyId: rule.id,
      policyName: rule.name,
      policyType: rule.type,
      policyVersion: rule.version,
      assetId: run.table.assetId,
      assetUid: run.table.uid,
      executionStatus: executionStatusOf(state),
      resultStatus: resultStatusOf(state),
      qualityScore: state.status === 'succeeded' ? state.result.qualityScore : null,
      startedAt: run.startedAt,
      finishedAt: 'finishedAt' in state ? state.finishedAt : null,
      error: state.status === 'failed' ? state.error : null,
    },
  }
  const told = [{ topic: publicTopics.executions, message: { ...frame, key, data: cloudEvent } }]
  if (state.status !== 'succeeded') return told
  const executed: ExecutedVersionMessage = {
    policyId: rule.id,
    version: rule.version,
    executionId: run.executionId,
  }
  return [...told, { topic: internalTopics.versions, message: { ...frame, key: String(rule.id), data: executed } }]
}
