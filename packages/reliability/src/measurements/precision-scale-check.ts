import { itemKinds } from '@assay/contracts'
import { ImpossibleDefinition } from '../definition.ts'
import { rowMeasurement } from './measurement.ts'
import { readsColumn } from './reads.ts'

export const precisionScaleCheck = rowMeasurement(
  itemKinds.PRECISION_SCALE_CHECK,
  ({ value, column }) => {
    const { precision, scale } = value()
    if (scale > precision) throw new ImpossibleDefinition('value.scale', 'must not be above value.precision')
    return { kind: 'precision-scale', column: column().name, precision, scale }
  },
  { reads: readsColumn },
)
