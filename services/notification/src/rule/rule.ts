import { isDeepStrictEqual } from 'node:util'
import { notificationKind, notificationSeverity } from '@assay/contracts'
import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'

const settings = z.object({
  name: z.string(),
  enabled: z.boolean(),
  /** All fields that it has must fit, each by any of its values. Empty: everything. */
  when: z.object({
    kinds: z.array(notificationKind).exactOptional(),
    minSeverity: notificationSeverity.exactOptional(),
    /** Names of tags of the asset, of its table, or of the policy. */
    tags: z.array(z.string()).exactOptional(),
    assemblyIds: z.array(z.int()).exactOptional(),
    /** Owners in the settings of the asset, or of the nearest one above that has owners. */
    owners: z.array(z.string()).exactOptional(),
  }),
  /** Ids of shared channels. */
  channelIds: z.array(z.int()),
})

/** A rule of the tenant: what matches goes to shared channels. Times are ISO 8601 UTC. */
export const rule = settings.extend({
  ruleId: z.int(),
  /** Who created it. */
  user: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type Rule = z.infer<typeof rule>
export type RuleSettings = z.infer<typeof settings>

export type RuleEvent =
  | { type: 'NotificationRuleCreated'; data: Rule }
  | { type: 'NotificationRuleChanged'; data: RuleSettings & { at: string } }
  | { type: 'NotificationRuleDeleted'; data: { at: string } }

/** A deleted rule keeps its content, which its public event names. */
export type RuleState = { status: 'none' } | { status: 'present' | 'deleted'; rule: Rule }
export const noRule: RuleState = { status: 'none' }

export function evolve(state: RuleState, event: RuleEvent): RuleState {
  if (event.type === 'NotificationRuleCreated') return { status: 'present', rule: event.data }
  if (state.status === 'none') return state
  if (event.type === 'NotificationRuleDeleted') return { ...state, status: 'deleted' }
  const { at: updatedAt, ...settings } = event.data
  return { ...state, rule: { ...state.rule, ...settings, updatedAt } }
}

export type RuleCommand =
  | { type: 'CreateRule'; rule: Rule }
  | { type: 'ChangeRule'; settings: RuleSettings; at: string }
  | { type: 'DeleteRule'; at: string }

export const noSuchRule = (): AssayError => new AssayError('not-found', 'There is no such notification rule.')

/** Changing or deleting a rule that does not exist throws `not-found`. A change to equal settings has no event. */
export function decide(command: RuleCommand, state: RuleState): RuleEvent[] {
  if (command.type === 'CreateRule')
    return state.status === 'none' ? [{ type: 'NotificationRuleCreated', data: command.rule }] : []
  if (state.status !== 'present') throw noSuchRule()
  const { at } = command
  if (command.type === 'DeleteRule') return [{ type: 'NotificationRuleDeleted', data: { at } }]
  if (isDeepStrictEqual(settings.parse(state.rule), command.settings)) return []
  return [{ type: 'NotificationRuleChanged', data: { ...command.settings, at } }]
}
