import { itemKinds } from '@assay/contracts'
import { rowMeasurement } from './measurement.ts'
import { readsNoValues } from './reads.ts'

export const missingValues = rowMeasurement(
  itemKinds.MISSING_VALUES,
  ({ value, column }) => {
    const { addEmptyCheck = false } = value()
    return { kind: 'missing', column: column().name, blankToo: addEmptyCheck }
  },
  { reads: readsNoValues },
)
