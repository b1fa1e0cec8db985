import { itemKinds } from '@assay/contracts'
import { matchableType, matchableTypes } from '../column-types.ts'
import { ImpossibleDefinition } from '../definition.ts'
import { rowMeasurement } from './measurement.ts'

export const datatypeMatch = rowMeasurement(itemKinds.DATATYPE_MATCH, ({ value, column }) => {
  const dataType = matchableType(value().dataType)
  if (dataType === undefined) throw new ImpossibleDefinition('value.dataType', `must be one of ${matchableTypes}`)
  return { kind: 'datatype', column: column().name, dataType }
})
