import { isDeepStrictEqual } from 'node:util'
import { cronProblem, isTimeZone, type PolicyType, type RuleFrameInput } from '@assay/contracts'
import { scoreThresholdProblem, thresholdProblem } from '@assay/reliability'
import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'
import type { Definition, DefinitionFrame } from '../policy/definition.ts'
import { storedThreshold } from '../policy/stored-threshold.ts'
import { assertIncremental } from '../schedule/support.ts'
import { assertPercentages } from './percentage-threshold.ts'
import { refusal } from './refusal.ts'

/**
 * Merges a request's `rule` into the fields that all policies have: absent fields stay, an empty text clears a text.
 * Targets, items and fields of one type are merged elsewhere. Throws `invalid` naming the field; `unprocessable` for a
 * schedule without cron.
 */
export function mergeRule<D extends DefinitionFrame & { type: PolicyType }>(
  before: D,
  rule: RuleFrameInput | undefined,
): D {
  if (rule === undefined) return before
  if (rule.type !== undefined && rule.type !== before.type)
    throw refusal('rule.type', `must be ${before.type} on this route, not ${rule.type}`)
  if (rule.thresholdLevel !== undefined) {
    const problem = thresholdProblem(rule.thresholdLevel)
    if (problem !== undefined) throw refusal(`rule.thresholdLevel.${problem.path}`, problem.message)
    assertPercentages('rule.thresholdLevel', rule.thresholdLevel, before.thresholdLevel, scoreThresholdProblem)
  }
  return {
    ...before,
    name: rule.name ?? before.name,
    description: rule.description ?? before.description,
    enabled: rule.enabled ?? before.enabled,
    ...mergeThreshold(before, rule),
    policyScoreStrategy: rule.policyScoreStrategy ?? before.policyScoreStrategy,
    scoreItems: rule.scoreItems ?? before.scoreItems,
    includeInQualityScore: rule.includeInQualityScore ?? before.includeInQualityScore,
    treatZeroRowsAsSuccess: rule.treatZeroRowsAsSuccess ?? before.treatZeroRowsAsSuccess,
    filter: cleared(rule.filter, before.filter),
    executionTimeoutInMinutes: rule.executionTimeoutInMinutes ?? before.executionTimeoutInMinutes,
    labels: rule.labels ?? before.labels,
    ...mergeChannels(rule),
    ...mergeSchedule(before, rule),
  }
}

/** Fields that existing clients expect in a record. There are no repeated notifications that `reNotifyMode` could set. */
const constantChannels = {
  ...{ alertsEnabled: true, configuredNotificationGroupIds: [], notifyOn: [] },
  ...{ notifyOnSuccess: false, notifyOnWarning: false, reNotifyMode: 'RULE_CHANGE' },
}
const anyFields = z.record(z.string(), z.json())

/** An empty object removes the channels. */
function mergeChannels({ notificationChannels: sent }: RuleFrameInput): Pick<DefinitionFrame, 'notificationChannels'> {
  if (sent === undefined) return {}
  const fields = anyFields.parse(sent)
  return { notificationChannels: Object.keys(fields).length === 0 ? null : { ...constantChannels, ...fields } }
}

/**
 * A new threshold decides the verdict. Repeating the policy's own one changes nothing, because clients send back what
 * they have read.
 */
function mergeThreshold(
  before: DefinitionFrame,
  { thresholdLevel, verdictBy }: RuleFrameInput,
): Pick<DefinitionFrame, 'thresholdLevel' | 'verdictBy'> {
  if (thresholdLevel === undefined)
    return { thresholdLevel: before.thresholdLevel, verdictBy: verdictBy ?? before.verdictBy }
  const sent = storedThreshold(thresholdLevel)
  const isEcho = isDeepStrictEqual(sent, before.thresholdLevel)
  return { thresholdLevel: sent, verdictBy: verdictBy ?? (isEcho ? before.verdictBy : 'SCORE') }
}

/** An empty text clears. */
export function cleared(sent: string | undefined, before: string | null): string | null {
  if (sent === undefined) return before
  return sent.trim() === '' ? null : sent
}

function mergeSchedule(
  before: DefinitionFrame & { type: PolicyType },
  rule: RuleFrameInput,
): Pick<DefinitionFrame, 'scheduled' | 'schedule' | 'timeZone' | 'scheduleExecutionType'> {
  const timeZone = rule.timeZone === undefined || rule.timeZone === '' ? before.timeZone : rule.timeZone
  const schedule = cleared(rule.schedule, before.schedule)
  const scheduled = rule.scheduled ?? before.scheduled
  const scheduleExecutionType = rule.scheduleExecutionType ?? before.scheduleExecutionType
  if (scheduleExecutionType === 'INCREMENTAL') assertIncremental(before.type, 'rule.scheduleExecutionType')
  if (scheduleExecutionType === 'INCREMENTAL' && before.target.marker === null)
    throw new AssayError('unprocessable', 'rule.scheduleExecutionType: INCREMENTAL needs rule.backingAsset.marker.')
  if (rule.timeZone !== undefined && !isTimeZone(timeZone))
    throw refusal('rule.timeZone', `'${timeZone}' is not an IANA time zone; use for example Europe/Berlin`)
  const problem = rule.schedule === undefined || schedule === null ? undefined : cronProblem(schedule, timeZone)
  if (problem !== undefined) throw refusal('rule.schedule', problem)
  if (scheduled && schedule === null)
    throw new AssayError('unprocessable', 'rule.scheduled: a schedule needs a cron expression in rule.schedule.')
  return { scheduled, schedule, timeZone, scheduleExecutionType }
}

/** Checks the complete definition: a CUSTOM score needs items to count. */
export function checkScoreItems(definition: Definition): void {
  if (definition.policyScoreStrategy !== 'CUSTOM') return
  if (definition.scoreItems.length === 0)
    throw refusal('rule.scoreItems', 'is needed with policyScoreStrategy CUSTOM: the names of the items that count')
  const names = new Set<string>(definition.items.map(nameOf))
  const unknown = definition.scoreItems.find((name) => !names.has(name))
  if (unknown !== undefined) throw refusal('rule.scoreItems', `no item is named '${unknown}'`)
}

/** The name of an item: some types do not name their items. */
function nameOf(item: Definition['items'][number]): string {
  if ('name' in item) return item.name
  if ('displayName' in item) return item.displayName
  return 'measurementType' in item ? item.measurementType : String(item.id)
}
