import { itemKinds } from '@assay/contracts'
import { readCondition, readNumber } from '../comparison.ts'
import { ImpossibleDefinition } from '../definition.ts'
import { judgeByCondition } from './by-condition.ts'
import { measurement, sqlText } from './measurement.ts'

export const sqlMetric = measurement(itemKinds.SQL_METRIC, {
  reads: (_item, value) => ({ sql: true, select: value().sql }),
  needs: ({ sql }) => ({ selects: [sql] }),
  plan({ item, value, frame, references }) {
    const comparison = value()
    readCondition(comparison, readNumber)
    if (frame.filter !== undefined)
      throw new ImpossibleDefinition('filter', 'does not apply to SQL_METRIC: write it as WHERE in value.sql')
    const tables = references.tables(comparison.sql)
    const select = sqlText(comparison.sql)
    return { kind: 'select', id: item.id, select, ...(tables.length === 0 ? {} : { tables }) }
  },
  judge: (found, value) => judgeByCondition(found, value()),
})
