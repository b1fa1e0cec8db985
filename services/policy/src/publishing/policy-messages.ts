import { changesBetween, internalTopics, type PolicyMessage, publicMessage, publicTopics } from '@assay/contracts'
import type { RecordedEvent } from '@assay/event-store'
import type { Message } from '@assay/message-bus'
import { storingOf } from '../configuration/stored-configuration.ts'
import type { ExistingPolicy } from '../policy/policy.ts'
import { policyAnswerOf } from '../policy/records.ts'

/** A policy as it stands, for the services that keep a copy. Pure. */
export function policyMessageOf(state: ExistingPolicy, tenant: string, revision: number): PolicyMessage {
  return {
    revision,
    policy: policyAnswerOf(state, tenant),
    configuration: storingOf(state.configuration, state.storage),
  }
}

/** What a policy is to the audit. */
function audited({ definition, version, status, configuration, tags }: ExistingPolicy) {
  return { ...definition, version, archived: status === 'archived', configuration, tags }
}

/**
 * What an event of a policy tells the world and the other services. `state`: the policy after this event, `before`: before
 * it, where there was one. Pure.
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
  const told = publicMessage('policy', event, { key, subject: key, data })
  // With the tenant: the topic keeps the last message of each key.
  const copied = { ...told, key: `${tenant}/${key}`, data: policyMessageOf(state, tenant, event.revision) }
  return [
    { topic: internalTopics.policies, message: copied },
    { topic: publicTopics.policies, message: told },
  ]
}
