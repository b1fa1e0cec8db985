import { itemKinds } from '@assay/contracts'
import { rowMeasurement } from './measurement.ts'
import { readsColumn } from './reads.ts'

export const regexMatch = rowMeasurement(
  itemKinds.REGEX_MATCH,
  ({ value, column }) => {
    const { pattern, partial = false } = value()
    return { kind: 'regex', column: column().name, pattern, partial }
  },
  { reads: readsColumn },
)
