import { isDeepStrictEqual } from 'node:util'
import { customComparisonValue, type ItemRecord, wholeThreshold } from '@assay/contracts'
import type { Definition, ReconciliationDefinition } from '../../policy/definition.ts'
import { thresholdOfScore } from '../../policy/stored-threshold.ts'

type Side = 'left' | 'right'

/**
 * The new or changed parts of a comparison that read values of one side. Each part is given as the data quality item that
 * reads the same values. Authors could otherwise compare a protected column with their own table, and so find out its
 * values row by row, as with a lookup. Pure.
 */
export function comparedParts(
  definition: ReconciliationDefinition,
  before: Definition | undefined,
  side: Side,
): { item: ItemRecord; path: string }[] {
  const earlier = before !== undefined && 'mappings' in before ? before : undefined
  const { mappings, items } = definition
  const ofMappings = mappings.flatMap((mapping, index) => {
    if (earlier?.mappings.some((one) => isDeepStrictEqual(one, mapping))) return []
    const columnName = side === 'left' ? mapping.leftColumnName : mapping.rightColumnName
    return [{ item: itemReading({ columnName }), path: `mappings[${index}]` }]
  })
  const wasWhole = earlier !== undefined && earlier.mappings.length === 0
  // A lookup without an asset counts as one that may read every column.
  const ofWhole = mappings.length > 0 || wasWhole ? [] : [{ item: itemReading({ isWhole: true }), path: 'mappings' }]
  const ofItems = items.flatMap((item, index) => {
    if (earlier?.items.some((one) => isDeepStrictEqual(one, item))) return []
    const path = `items[${index}]`
    const select = customComparisonValue.safeParse(item.value)
    if (select.success) return [{ item: itemReading({ sql: select.data[`${side}Sql`] }), path }]
    return item.columnName == null ? [] : [{ item: itemReading({ columnName: item.columnName }), path }]
  })
  return [...ofMappings, ...ofWhole, ...ofItems]
}

type Read = { columnName: string } | { sql: string } | { isWhole: true }

function itemReading(read: Read): ItemRecord {
  const frame = { id: 1, ruleId: 1, ruleVersion: 1, name: 'compared', executionOrder: 0, resultThreshold: 100 }
  const none = { ruleExpression: null, filter: null, businessExplanation: null, executionInputs: null, labels: [] }
  return {
    ...{ ...frame, ...none, weightage: 1, aggregateType: 'RULE', isWarning: false, isDimension: false },
    ...{ isArchived: false, associatedDQRecommendationId: null, bulkPolicyDqRuleId: null },
    thresholdConfig: wholeThreshold(thresholdOfScore(100)),
    ...('sql' in read
      ? { measurementType: 'SQL_METRIC', columnName: null, value: { sql: read.sql } }
      : 'isWhole' in read
        ? { measurementType: 'VALUES_IN_LOOKUP', columnName: null, value: null }
        : { measurementType: 'RANGE_MATCH', columnName: read.columnName, value: {} }),
  }
}
