import { isDeepStrictEqual } from 'node:util'
import { customComparisonValue } from '@assay/contracts'
import type { DefinitionFrame } from '../../policy/definition.ts'
import { thresholdOfScore } from '../../policy/stored-threshold.ts'
import { type ItemDefinition, itemRecord } from '../data-quality/item.ts'
import type { ReadPart, SideName } from '../family.ts'
import type { Reconciliation } from './family.ts'

type Definition = Reconciliation & DefinitionFrame

/**
 * The new or changed parts that read values of one side. Authors could otherwise compare a protected column with their own
 * table, and so find out its values row by row, as with a lookup. Pure.
 */
export function comparedParts(definition: Definition, before: Definition | undefined, side: SideName): ReadPart[] {
  const earlier = before !== undefined && isDeepStrictEqual(rowsOf(definition), rowsOf(before)) ? before : undefined
  const { mappings, items } = definition
  const ofMappings = mappings.flatMap((mapping, index) => {
    if (earlier?.mappings.some((one) => isDeepStrictEqual(one, mapping))) return []
    const columnName = side === 'left' ? mapping.leftColumnName : mapping.rightColumnName
    return [{ item: itemReading({ measurementType: 'RANGE_MATCH', columnName }), path: `mappings[${index}]` }]
  })
  const wasWhole = earlier !== undefined && earlier.mappings.length === 0
  // A lookup without an asset counts as one that may read every column.
  const whole = { item: itemReading({ measurementType: 'VALUES_IN_LOOKUP', value: null }), path: 'mappings' }
  const ofItems = items.flatMap((item, index) => {
    if (earlier?.items.some((one) => isDeepStrictEqual(one, item))) return []
    const path = `items[${index}]`
    const { columnName } = item
    const select = customComparisonValue.safeParse(item.value)
    if (select.success) {
      const value = { sql: select.data[`${side}Sql`] }
      return [{ item: itemReading({ measurementType: 'SQL_METRIC', value }), path }]
    }
    return columnName == null ? [] : [{ item: itemReading({ measurementType: 'RANGE_MATCH', columnName }), path }]
  })
  const parts = [...ofMappings, ...(mappings.length > 0 || wasWhole ? [] : [whole]), ...ofItems]
  return parts.map(({ item, path }, place) => ({ item: { ...item, id: place + 1 }, path }))
}

/**
 * The rows that are compared. If they are others, the author could choose the values that protected ones are compared with,
 * even by changing the other side only.
 */
const rowsOf = ({ target, filter, rightTarget, rightFilter, timeSecondsOffset }: Definition) => [
  ...[target, rightTarget].map(({ assetId, marker }) => ({ assetId, marker })),
  ...[filter, rightFilter, timeSecondsOffset],
]

const itemReading = (read: Pick<ItemDefinition, 'measurementType'> & Partial<ItemDefinition>) =>
  itemRecord({
    ...{ id: 1, name: 'compared', columnName: null, executionOrder: 0, value: {}, ruleExpression: null, filter: null },
    ...{ resultThreshold: 100, thresholdConfig: thresholdOfScore(100), weightage: 1, aggregateType: 'RULE' },
    ...{ isWarning: false, isDimension: false, businessExplanation: null, labels: [] },
    ...read,
  })
