import { itemKinds } from '@assay/contracts'
import { boundFor, checkEither, impossibleOrder, isAbove, isEqual } from '../bounds.ts'
import { kindOfType } from '../column-types.ts'
import { ImpossibleDefinition } from '../definition.ts'
import { rowMeasurement } from './measurement.ts'
import { readsColumn } from './reads.ts'

export const rangeMatch = rowMeasurement(
  itemKinds.RANGE_MATCH,
  ({ value, column }) => {
    const { name, dataType } = column()
    const { min, max, inclusive = true } = value()
    checkEither(min, max)
    if (kindOfType(dataType) === 'other')
      throw new ImpossibleDefinition(
        min === undefined ? 'value.max' : 'value.min',
        `cannot be compared with the column '${name}': ${dataType} has no order`,
      )
    const low = min === undefined ? undefined : boundFor(min, { name, dataType }, 'value.min')
    const high = max === undefined ? undefined : boundFor(max, { name, dataType }, 'value.max')
    if (min !== undefined && max !== undefined && low !== undefined && high !== undefined) {
      if (isAbove(low, high)) throw impossibleOrder(min, max)
      if (!inclusive && isEqual(low, high))
        throw new ImpossibleDefinition(
          'value.inclusive',
          'must not be false if min and max are equal: no value could pass',
        )
    }
    return { kind: 'range', column: name, inclusive, ...(low && { min: low }), ...(high && { max: high }) }
  },
  { reads: readsColumn },
)
