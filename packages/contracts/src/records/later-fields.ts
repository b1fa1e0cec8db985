import { type ThresholdRecord, wholeThreshold } from './threshold.ts'

/** Fields added to policy records after some had been stored and published; older records know nothing of them. */
const laterRuleFields = {
  ruleSetId: null,
  totalExecutionTimeoutInMinutes: null,
  verdictBy: 'SCORE',
  scheduleExecutionType: null,
}
const laterDetails = { parentId: null, subType: 'ASSET', engineType: null, customSqlConfig: null, jobSchedule: null }
const laterSides = { leftEngineType: null }
const laterItemFields = { associatedDQRecommendationId: null, bulkPolicyDqRuleId: null }

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isThreshold(value: unknown): value is ThresholdRecord {
  return isFields(value) && typeof value.type === 'string' && 'success' in value && 'warning' in value
}

/** With the threshold in the field whole, where there is one. */
function withWhole(fields: Fields, name: string): Fields {
  const threshold = fields[name]
  return isThreshold(threshold) ? { ...fields, [name]: wholeThreshold(threshold) } : fields
}

/**
 * A policy's record as events, messages and documents of before may hold it, with the fields that came later. What is
 * there stays; what is no record of a policy is answered as it is. Pure.
 */
export function withLaterFields(value: unknown): unknown {
  if (!isFields(value) || !isFields(value.rule) || !isFields(value.details)) return value
  const { rule, details } = value
  const isQuality = rule.type === 'DATA_QUALITY'
  const items = Array.isArray(details.items)
    ? details.items.map((item: unknown) =>
        isFields(item) ? withWhole(isQuality ? { ...laterItemFields, ...item } : item, 'thresholdConfig') : item,
      )
    : details.items
  return {
    ...value,
    rule: withWhole({ ...laterRuleFields, ...rule }, 'thresholdLevel'),
    details: {
      ...(isQuality ? laterDetails : {}),
      ...('leftBackingAssetId' in details ? laterSides : {}),
      ...details,
      items,
    },
  }
}
