import { isDeepStrictEqual } from 'node:util'
import { AssayError } from '@assay/service-kit/errors'
import { assertIncremental } from '../schedule/support.ts'
import type { Configuration, Definition } from './definition.ts'
import type { ActivePolicy, ExistingPolicy, Policy, PolicyEvent, PolicyTag, Schedule, Storage } from './policy.ts'

/** Maximum number of tags per policy. */
export const maxTags = 100

/** `at`: ISO 8601 UTC; ids and definitions are created, and checked against the data, before the command. */
export type PolicyCommand = { at: string; by: string } & (
  | {
      kind: 'CreatePolicy'
      policyId: number
      definition: Definition
      storage?: Storage
      baseline?: string
      autoCreated?: true
    }
  | { kind: 'ChangeDefinition'; definition: Definition }
  | { kind: 'EnablePolicy' }
  /** `unlessEnabledAfter`: ISO 8601 UTC. If absent, the policy is disabled in any case. */
  | { kind: 'DisablePolicy'; reason: string | null; unlessEnabledAfter?: string | undefined }
  /** Absent members stay. Cron and zone have been checked. */
  | { kind: 'SetSchedule'; change: { [Member in keyof Schedule]?: Schedule[Member] | undefined } }
  | { kind: 'SetConfiguration'; configuration: Configuration; storage?: Storage }
  /** `storage`: the templates of the chosen persistence configuration. */
  | { kind: 'FollowStorage'; storage: Storage }
  /** Tags that the policy has already are skipped. */
  | { kind: 'AddTags'; tags: PolicyTag[] }
  | { kind: 'RemoveTag'; tagId: number }
  | { kind: 'ArchivePolicy'; reason: string | null }
  | { kind: 'UnarchivePolicy' }
)

/** The policy, if it exists. Throws `not-found`. */
export function existing(state: Policy): ExistingPolicy {
  if (state.status === 'absent') throw new AssayError('not-found', 'There is no policy with this id.')
  return state
}

/** The policy, if it can be changed. Throws `not-found`; `unprocessable` if it is archived. */
export function changeable(state: Policy): ActivePolicy {
  const policy = existing(state)
  if (policy.status === 'active') return policy
  throw new AssayError('unprocessable', `Policy "${policy.definition.name}" is archived. Unarchive it first.`)
}

/**
 * The events of a command. A command without effect makes none, so it adds no version; only a schedule call always adds
 * one.
 */
export function decide(command: PolicyCommand, state: Policy): readonly PolicyEvent[] {
  const { at, by } = command
  switch (command.kind) {
    case 'CreatePolicy': {
      if (state.status !== 'absent') throw new AssayError('taken', 'There is a policy with this id already.')
      const { policyId, definition, storage, baseline, autoCreated } = command
      const chosen = {
        ...(storage ? { storage } : {}),
        ...(baseline === undefined ? {} : { baseline }),
        ...(autoCreated ? { autoCreated } : {}),
      }
      return [{ type: 'PolicyCreated', data: { policyId, definition, ...chosen, at, by } }]
    }
    case 'ChangeDefinition':
      return isDeepStrictEqual(changeable(state).definition, command.definition)
        ? []
        : [{ type: 'PolicyDefinitionChanged', data: { definition: command.definition, at, by } }]
    case 'EnablePolicy':
      return changeable(state).definition.enabled ? [] : [{ type: 'PolicyEnabled', data: { at, by } }]
    case 'DisablePolicy': {
      const { definition, enabledAt } = changeable(state)
      const { reason, unlessEnabledAfter } = command
      const isLater = unlessEnabledAfter !== undefined && enabledAt !== null && enabledAt > unlessEnabledAfter
      return definition.enabled && !isLater ? [{ type: 'PolicyDisabled', data: { at, by, reason } }] : []
    }
    case 'SetSchedule':
      return [{ type: 'PolicyScheduleSet', data: { ...scheduleAfter(changeable(state), command.change), at, by } }]
    case 'SetConfiguration':
      return configured(changeable(state), command)
    case 'FollowStorage':
      return followed(existing(state), command)
    case 'AddTags':
      return tagged(existing(state), command)
    case 'RemoveTag': {
      const { tagId } = command
      const carries = existing(state).tags.some((tag) => tag.tagId === tagId)
      return carries ? [{ type: 'PolicyUntagged', data: { tagId, at, by } }] : []
    }
    case 'ArchivePolicy':
      return existing(state).status === 'archived'
        ? []
        : [{ type: 'PolicyArchived', data: { at, by, reason: command.reason } }]
    case 'UnarchivePolicy':
      return existing(state).status === 'active' ? [] : [{ type: 'PolicyUnarchived', data: { at, by } }]
    default:
      return command satisfies never
  }
}

function scheduleAfter(
  { definition }: ActivePolicy,
  change: Extract<PolicyCommand, { kind: 'SetSchedule' }>['change'],
): Schedule {
  const after = {
    scheduled: change.scheduled ?? definition.scheduled,
    schedule: change.schedule ?? definition.schedule,
    timeZone: change.timeZone ?? definition.timeZone,
    scheduleExecutionType: change.scheduleExecutionType ?? definition.scheduleExecutionType,
  }
  if (after.scheduleExecutionType === 'INCREMENTAL') assertIncremental(definition.type, 'executionType')
  if (after.scheduleExecutionType === 'INCREMENTAL' && definition.target.marker === null)
    throw new AssayError(
      'unprocessable',
      `executionType: INCREMENTAL needs a marker stored with the policy "${definition.name}"; it has none.`,
    )
  if (!after.scheduled || after.schedule !== null) return after
  throw new AssayError(
    'unprocessable',
    `Policy "${definition.name}" has no cron expression stored; send one in cronExpression to schedule it.`,
  )
}

type Of<Kind extends PolicyCommand['kind']> = Extract<PolicyCommand, { kind: Kind }>

function configured(policy: ActivePolicy, command: Of<'SetConfiguration'>): PolicyEvent[] {
  const { configuration, storage = null, at, by } = command
  if (isDeepStrictEqual(policy.configuration, configuration)) return followed(policy, { storage, at, by })
  const chosen = storage ? { storage } : {}
  return [{ type: 'PolicyConfigurationSet', data: { configuration, ...chosen, at, by } }]
}

function followed(
  policy: ExistingPolicy,
  { storage, at, by }: Pick<Of<'FollowStorage'>, 'storage' | 'at' | 'by'>,
): PolicyEvent[] {
  return isDeepStrictEqual(policy.storage, storage)
    ? []
    : [{ type: 'PolicyStorageFollowed', data: { storage, at, by } }]
}

function tagged(policy: ExistingPolicy, { tags, at, by }: Of<'AddTags'>): PolicyEvent[] {
  const carried = new Set(policy.tags.map(({ tagId }) => tagId))
  const added = tags.filter(({ tagId }, index) => {
    return !carried.has(tagId) && tags.findIndex((tag) => tag.tagId === tagId) === index
  })
  if (carried.size + added.length > maxTags)
    throw new AssayError('unprocessable', `A policy can have ${maxTags} tags; remove some first.`)
  return added.length === 0 ? [] : [{ type: 'PolicyTagged', data: { tags: added, at, by } }]
}
