import { cronProblem, isTimeZone, type RuleInput } from '@assay/contracts'
import { thresholdProblem } from '@assay/reliability'
import { AssayError } from '@assay/service-kit/errors'
import type { Definition, Target } from '../policy/definition.ts'
import { storedThreshold } from '../policy/stored-threshold.ts'
import { refusal } from './refusal.ts'

/**
 * What a request's `rule` makes of a definition: what is absent stays, an empty text clears a text. The target and the
 * items are merged elsewhere. Errors: `invalid` naming the field; `unprocessable` when a schedule is wanted without cron.
 */
export function mergeRule(before: Definition, rule: RuleInput, target: Target): Definition {
  if (rule.type !== undefined && rule.type !== 'DATA_QUALITY')
    throw refusal('rule.type', `must be DATA_QUALITY on this route, not ${rule.type}`)
  if (rule.thresholdLevel !== undefined) {
    const problem = thresholdProblem(rule.thresholdLevel)
    if (problem !== undefined) throw refusal(`rule.thresholdLevel.${problem.path}`, problem.message)
  }
  return {
    ...before,
    name: rule.name ?? before.name,
    description: rule.description ?? before.description,
    enabled: rule.enabled ?? before.enabled,
    target,
    thresholdLevel: rule.thresholdLevel === undefined ? before.thresholdLevel : storedThreshold(rule.thresholdLevel),
    policyScoreStrategy: rule.policyScoreStrategy ?? before.policyScoreStrategy,
    scoreItems: rule.scoreItems ?? before.scoreItems,
    includeInQualityScore: rule.includeInQualityScore ?? before.includeInQualityScore,
    treatZeroRowsAsSuccess: rule.treatZeroRowsAsSuccess ?? before.treatZeroRowsAsSuccess,
    filter: cleared(rule.filter, before.filter),
    executionTimeoutInMinutes: rule.executionTimeoutInMinutes ?? before.executionTimeoutInMinutes,
    labels: rule.labels ?? before.labels,
    ...mergeSchedule(before, rule),
  }
}

function cleared(sent: string | undefined, before: string | null): string | null {
  if (sent === undefined) return before
  return sent.trim() === '' ? null : sent
}

function mergeSchedule(before: Definition, rule: RuleInput): Pick<Definition, 'scheduled' | 'schedule' | 'timeZone'> {
  const timeZone = rule.timeZone === undefined || rule.timeZone === '' ? before.timeZone : rule.timeZone
  const schedule = cleared(rule.schedule, before.schedule)
  const scheduled = rule.scheduled ?? before.scheduled
  if (rule.timeZone !== undefined && !isTimeZone(timeZone))
    throw refusal('rule.timeZone', `'${timeZone}' is no IANA time zone, for example Europe/Berlin`)
  const problem = rule.schedule === undefined || schedule === null ? undefined : cronProblem(schedule, timeZone)
  if (problem !== undefined) throw refusal('rule.schedule', problem)
  if (scheduled && schedule === null)
    throw new AssayError('unprocessable', 'rule.scheduled: a schedule needs a cron expression in rule.schedule.')
  return { scheduled, schedule, timeZone }
}

/** What only the whole shows: that a CUSTOM score has items to count. */
export function checkScoreItems(definition: Definition): void {
  if (definition.policyScoreStrategy !== 'CUSTOM') return
  if (definition.scoreItems.length === 0)
    throw refusal('rule.scoreItems', 'is needed with policyScoreStrategy CUSTOM: the names of the items that count')
  const names = new Set(definition.items.map((item) => item.name))
  const unknown = definition.scoreItems.find((name) => !names.has(name))
  if (unknown !== undefined) throw refusal('rule.scoreItems', `no item is named '${unknown}'`)
}
