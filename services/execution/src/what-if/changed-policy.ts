import { type PolicyAnswer, policyAnswer, type Threshold, type WhatIfRequest } from '@assay/contracts'
import { scoreThresholdProblem, thresholdOfPercentage, thresholdProblem, thresholdRecordOf } from '@assay/reliability'
import { AssayError } from '@assay/service-kit/errors'

type Fields = Record<string, unknown>
type SentItem = NonNullable<WhatIfRequest['items']>[number]

/**
 * A policy with other thresholds, sensitivities and limits. Throws `invalid` for an item that is unknown or named twice,
 * a field that the policy does not have, and an impossible threshold. Pure.
 */
export function changedPolicy(policy: PolicyAnswer, { rule, items = [] }: WhatIfRequest): PolicyAnswer {
  const own: readonly Fields[] = policy.details.items
  for (const [index, sent] of items.entries()) {
    if (!own.some(({ id }) => id === sent.id))
      throw new AssayError('invalid', `items[${index}].id: ${sent.id} is not the id of an item of this policy.`)
    if (items.findIndex(({ id }) => id === sent.id) !== index)
      throw new AssayError('invalid', `items[${index}].id: ${sent.id} is named twice. Send one entry for each item.`)
  }
  const changed = own.map((item) => {
    const index = items.findIndex(({ id }) => id === item.id)
    const sent = items[index]
    if (sent === undefined) return item
    return withFields(item, itemFields(sent, index), `items[${index}]`)
  })
  const parsed = policyAnswer.safeParse({
    ...policy,
    rule: withFields(policy.rule, ruleFields(rule), 'rule'),
    details: { ...policy.details, items: changed },
  })
  if (parsed.success) return parsed.data
  throw new AssayError('invalid', 'The changes do not fit the type of this policy.')
}

function ruleFields(rule: WhatIfRequest['rule']): Fields {
  if (rule == null) return {}
  const { thresholdLevel, verdictBy, anomalyStrengthThreshold = rule.sensitivity, severity } = rule
  const threshold = thresholdLevel && recordOf(thresholdLevel, 'rule.thresholdLevel', scoreThresholdProblem)
  return {
    ...(threshold ? { thresholdLevel: threshold, verdictBy: 'SCORE' } : {}),
    ...(verdictBy ? { verdictBy } : {}),
    ...(anomalyStrengthThreshold ? { anomalyStrengthThreshold } : {}),
    ...(severity ? { severity } : {}),
  }
}

function itemFields({ id: _, resultThreshold, thresholdConfig, ...limits }: SentItem, index: number): Fields {
  const threshold = thresholdConfig ?? (resultThreshold == null ? undefined : thresholdOfPercentage(resultThreshold))
  const given = Object.entries(limits).filter(([, value]) => value != null)
  return {
    ...Object.fromEntries(given),
    // A given limit replaces a learned one.
    ...(limits.driftThreshold == null ? {} : { thresholdConfig: null }),
    ...(resultThreshold == null ? {} : { resultThreshold }),
    ...(threshold ? { thresholdConfig: recordOf(threshold, `items[${index}].thresholdConfig`) } : {}),
  }
}

function recordOf(threshold: Threshold, path: string, furtherProblem: typeof thresholdProblem = () => undefined) {
  const problem = thresholdProblem(threshold) ?? furtherProblem(threshold)
  if (problem === undefined) return thresholdRecordOf(threshold)
  throw new AssayError('invalid', `${path}.${problem.path}: ${problem.message}`)
}

/** Objects are merged; a field that is not there is refused. */
function withFields(of: Fields, fields: Fields, path: string): Fields {
  const merged = { ...of }
  for (const [name, value] of Object.entries(fields)) {
    if (!(name in of)) throw new AssayError('invalid', `${path}.${name}: policies of this type do not have it.`)
    const isLimits = name === 'value' || name === 'severity'
    merged[name] = isLimits ? { ...Object(of[name]), ...Object(value) } : value
  }
  return merged
}
