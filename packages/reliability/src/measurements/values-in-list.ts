import { itemKinds } from '@assay/contracts'
import { checkListed } from '../bounds.ts'
import { rowMeasurement } from './measurement.ts'
import { readsColumn } from './reads.ts'

export const valuesInList = rowMeasurement(
  itemKinds.VALUES_IN_LIST,
  ({ value, column }) => {
    const { values, negate = false } = value()
    const listed = column()
    checkListed(values, listed, 'value.values')
    return { kind: 'in-list', column: listed.name, values, negate }
  },
  { reads: readsColumn },
)
