import { changesBetween, internalTopics, type PolicyMessage, publicMessage, publicTopics } from '@assay/contracts'
import type { RecordedEvent } from '@assay/event-store'
import type { Message } from '@assay/message-bus'
import { storingOf } from '../configuration/stored-configuration.ts'
import type { ExistingPolicy } from '../policy/policy.ts'
import { policyAnswerOf } from '../policy/records.ts'

/** The current policy, for the local read models of other services. Pure. */
export function policyMessageOf(state: ExistingPolicy, tenant: string, revision: number): PolicyMessage {
  return {
    revision,
    policy: policyAnswerOf(state, tenant),
    configuration: storingOf(state.configuration, state.storage),
    ...(state.baseline === null ? {} : { baseline: state.baseline }),
  }
}

/** The fields of a policy in the audit. */
function audited({ definition, version, status, configuration, tags }: ExistingPolicy) {
  return { ...definition, version, archived: status === 'archived', configuration, tags }
}

/**
 * The public and internal messages for a policy event. `state`: the policy after the event; `before`: before the event,
 * if the policy existed. Pure.
 */
export function policyMessages(
  event: RecordedEvent,
  state: ExistingPolicy,
  before?: ExistingPolicy,
): { topic: string; message: Message }[] {
  const { tenant, actor } = event.metadata
  const key = String(state.policyId)
  const { definition } = state
  const data = {
    policyId: state.policyId,
    policyName: definition.name,
    policyType: definition.type,
    policyVersion: state.version,
    assetId: definition.target.assetId,
    assetUid: definition.target.uid,
    ...('rightTarget' in definition
      ? { rightAssetId: definition.rightTarget.assetId, rightAssetUid: definition.rightTarget.uid }
      : {}),
    enabled: definition.enabled,
    archived: state.status === 'archived',
    scheduled: definition.scheduled,
    actor,
    changes: changesBetween(before ? audited(before) : null, audited(state)),
  }
  const published = publicMessage('policy', event, { key, subject: `policy/${key}`, data })
  // The key includes the tenant, because the topic is compacted.
  const internal = { ...published, key: `${tenant}/${key}`, data: policyMessageOf(state, tenant, event.revision) }
  return [
    { topic: internalTopics.policies, message: internal },
    { topic: publicTopics.policies, message: published },
  ]
}
