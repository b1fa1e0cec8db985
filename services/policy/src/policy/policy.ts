import {
  type Categories,
  type Configuration,
  type Definition,
  type DefinitionFrame,
  defaultConfiguration,
} from './definition.ts'

/** The part of a definition that schedule calls set. */
export type Schedule = Pick<DefinitionFrame, 'scheduled' | 'schedule' | 'timeZone' | 'scheduleExecutionType'>

/** A tag of the policy. `id`: id of the association. */
export type PolicyTag = { id: number; tagId: number; name: string }

/**
 * The templates of the chosen persistence configuration at the time of the event. `null` means the built-in
 * templates, or the policy's own.
 */
export type Storage = Categories | null

/** Events of a policy. `at`: ISO 8601 UTC; `by`: the user, or `system`. */
export type PolicyEvent =
  | {
      type: 'PolicyCreated'
      data: {
        policyId: number
        definition: Definition
        storage?: Storage
        baseline?: string
        autoCreated?: true
        at: string
        by: string
      }
    }
  | { type: 'PolicyDefinitionChanged'; data: { definition: Definition; at: string; by: string } }
  | { type: 'PolicyEnabled'; data: { at: string; by: string } }
  | { type: 'PolicyDisabled'; data: { at: string; by: string; reason: string | null } }
  | { type: 'PolicyScheduleSet'; data: Schedule & { at: string; by: string } }
  | {
      type: 'PolicyConfigurationSet'
      data: { configuration: Configuration; storage?: Storage; at: string; by: string }
    }
  /** The chosen configuration was changed, or another one is the default. */
  | { type: 'PolicyStorageFollowed'; data: { storage: Storage; at: string; by: string } }
  | { type: 'PolicyTagged'; data: { tags: PolicyTag[]; at: string; by: string } }
  | { type: 'PolicyUntagged'; data: { tagId: number; at: string; by: string } }
  | { type: 'PolicyArchived'; data: { at: string; by: string; reason: string | null } }
  | { type: 'PolicyUnarchived'; data: { at: string; by: string } }

interface Existing {
  policyId: number
  /**
   * Starts at 1. Increased by: definition, schedule calls, enabling, disabling, configuration. Not the revision of the
   * stream.
   */
  version: number
  definition: Definition
  configuration: Configuration
  storage: Storage
  /** Key of the baseline that the execution service stored at the creation; `null` means none. */
  baseline: string | null
  /** Whether it was created for every table of its assembly. */
  autoCreated: boolean
  tags: PolicyTag[]
  createdAt: string
  createdBy: string
  updatedAt: string
  updatedBy: string
  /** When it was enabled last, ISO 8601 UTC; `null` means never. */
  enabledAt: string | null
}
export type ActivePolicy = Existing & { status: 'active' }
export type ArchivedPolicy = Existing & { status: 'archived'; archivalReason: string | null }
export type ExistingPolicy = ActivePolicy | ArchivedPolicy
export type Policy = { status: 'absent' } | ExistingPolicy

export const absent: Policy = { status: 'absent' }

/** The policy after an event. */
export function evolve(state: Policy, event: PolicyEvent): Policy {
  if (event.type === 'PolicyCreated') {
    const { policyId, definition, at, by } = event.data
    return {
      status: 'active',
      policyId,
      version: 1,
      definition,
      configuration: defaultConfiguration,
      storage: event.data.storage ?? null,
      baseline: event.data.baseline ?? null,
      autoCreated: event.data.autoCreated === true,
      tags: [],
      createdAt: at,
      createdBy: by,
      updatedAt: at,
      updatedBy: by,
      enabledAt: definition.enabled ? at : null,
    }
  }
  // Every stream begins with PolicyCreated; other events are ignored before it.
  if (state.status === 'absent') return state
  const { at, by } = event.data
  const touched = { ...state, updatedAt: at, updatedBy: by }
  const next = { ...touched, version: state.version + 1 }
  switch (event.type) {
    case 'PolicyDefinitionChanged': {
      const { definition } = event.data
      const isEnabledNow = definition.enabled && !state.definition.enabled
      return { ...next, definition, enabledAt: isEnabledNow ? at : state.enabledAt }
    }
    case 'PolicyEnabled':
      return { ...next, definition: { ...state.definition, enabled: true }, enabledAt: at }
    case 'PolicyDisabled':
      return { ...next, definition: { ...state.definition, enabled: false } }
    case 'PolicyScheduleSet': {
      const { scheduled, schedule, timeZone, scheduleExecutionType } = event.data
      return { ...next, definition: { ...state.definition, scheduled, schedule, timeZone, scheduleExecutionType } }
    }
    case 'PolicyConfigurationSet':
      return { ...next, configuration: event.data.configuration, storage: event.data.storage ?? null }
    // Tags and the content of a shared configuration are not changes of the policy itself.
    case 'PolicyStorageFollowed':
      return { ...state, storage: event.data.storage }
    case 'PolicyTagged':
      return { ...state, tags: [...state.tags, ...event.data.tags] }
    case 'PolicyUntagged':
      return { ...state, tags: state.tags.filter(({ tagId }) => tagId !== event.data.tagId) }
    case 'PolicyArchived':
      return { ...touched, status: 'archived', archivalReason: event.data.reason }
    case 'PolicyUnarchived': {
      const { policyId, version, definition, configuration, storage, baseline, autoCreated, tags } = touched
      const { createdAt, createdBy, updatedAt, updatedBy, enabledAt } = touched
      const kept = { policyId, version, definition, configuration, storage, baseline, autoCreated, tags }
      return { status: 'active', ...kept, createdAt, createdBy, updatedAt, updatedBy, enabledAt }
    }
    default:
      return event satisfies never
  }
}
