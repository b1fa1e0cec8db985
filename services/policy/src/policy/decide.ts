import { isDeepStrictEqual } from 'node:util'
import { AssayError } from '@assay/service-kit/errors'
import type { Configuration, Definition } from './definition.ts'
import type { ActivePolicy, ExistingPolicy, Policy, PolicyEvent, Schedule } from './policy.ts'

/** `at`: ISO 8601 UTC; ids and definitions are made, and checked against the data, before a command is given. */
export type PolicyCommand = { at: string; by: string } & (
  | { kind: 'CreatePolicy'; policyId: number; definition: Definition }
  | { kind: 'ChangeDefinition'; definition: Definition }
  | { kind: 'EnablePolicy' }
  | { kind: 'DisablePolicy'; reason: string | null }
  /** Absent members stay. Cron and zone have been checked. */
  | { kind: 'SetSchedule'; change: { [Member in keyof Schedule]?: Schedule[Member] | undefined } }
  | { kind: 'SetConfiguration'; configuration: Configuration }
  | { kind: 'ArchivePolicy'; reason: string | null }
  | { kind: 'UnarchivePolicy' }
)

/** The policy, where there is one. Error: `not-found`. */
export function existing(state: Policy): ExistingPolicy {
  if (state.status === 'absent') throw new AssayError('not-found', 'There is no policy with this id.')
  return state
}

/** The policy, where it can be changed. Errors: `not-found`; `unprocessable` when it is archived. */
export function changeable(state: Policy): ActivePolicy {
  const policy = existing(state)
  if (policy.status === 'active') return policy
  throw new AssayError('unprocessable', `Policy "${policy.definition.name}" is archived. Unarchive it first.`)
}

/**
 * What a command makes happen. What would change nothing makes nothing happen, so it adds no version; only a schedule
 * call always adds one.
 */
export function decide(command: PolicyCommand, state: Policy): readonly PolicyEvent[] {
  const { at, by } = command
  switch (command.kind) {
    case 'CreatePolicy': {
      if (state.status !== 'absent') throw new AssayError('conflict', 'There is a policy with this id already.')
      const { policyId, definition } = command
      return [{ type: 'PolicyCreated', data: { policyId, definition, at, by } }]
    }
    case 'ChangeDefinition':
      return isDeepStrictEqual(changeable(state).definition, command.definition)
        ? []
        : [{ type: 'PolicyDefinitionChanged', data: { definition: command.definition, at, by } }]
    case 'EnablePolicy':
      return changeable(state).definition.enabled ? [] : [{ type: 'PolicyEnabled', data: { at, by } }]
    case 'DisablePolicy':
      return changeable(state).definition.enabled
        ? [{ type: 'PolicyDisabled', data: { at, by, reason: command.reason } }]
        : []
    case 'SetSchedule':
      return [{ type: 'PolicyScheduleSet', data: { ...scheduleAfter(changeable(state), command.change), at, by } }]
    case 'SetConfiguration':
      return isDeepStrictEqual(changeable(state).configuration, command.configuration)
        ? []
        : [{ type: 'PolicyConfigurationSet', data: { configuration: command.configuration, at, by } }]
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
  }
  if (!after.scheduled || after.schedule !== null) return after
  throw new AssayError(
    'unprocessable',
    `Policy "${definition.name}" has no cron expression stored; send one in cronExpression to schedule it.`,
  )
}
