import { itemKinds } from '@assay/contracts'
import { checkEither, impossibleOrder } from '../bounds.ts'
import { rowMeasurement } from './measurement.ts'
import { readsColumn } from './reads.ts'

export const sizeCheck = rowMeasurement(
  itemKinds.SIZE_CHECK,
  ({ value, column }) => {
    const { min, max } = value()
    checkEither(min, max)
    if (min !== undefined && max !== undefined && min > max) throw impossibleOrder(min, max)
    const limits = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
    return { kind: 'text-length', column: column().name, ...limits }
  },
  { reads: readsColumn },
)
