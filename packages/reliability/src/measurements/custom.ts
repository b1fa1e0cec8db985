import { itemKinds } from '@assay/contracts'
import { ImpossibleDefinition, writtenText } from '../definition.ts'
import { rowMeasurement, sqlText } from './measurement.ts'
import { readsColumn, readsExpression } from './reads.ts'

export const custom = rowMeasurement(
  itemKinds.CUSTOM,
  ({ item }) => {
    const expression = writtenText(item.ruleExpression)
    if (expression === undefined)
      throw new ImpossibleDefinition('ruleExpression', 'is needed: a SQL expression over the row')
    return { kind: 'expression', expression: sqlText(expression) }
  },
  { reads: (item) => ({ ...readsColumn(item), ...readsExpression(item) }) },
)
