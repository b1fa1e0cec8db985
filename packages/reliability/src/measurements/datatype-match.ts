import { itemKinds } from '@assay/contracts'
import { checkableNames, checkableType, formatType } from '@assay/data-engine'
import { ImpossibleDefinition } from '../definition.ts'
import { rowMeasurement } from './measurement.ts'
import { readsColumn } from './reads.ts'

export const datatypeMatch = rowMeasurement(
  itemKinds.DATATYPE_MATCH,
  ({ value, column }) => {
    const type = checkableType(value().dataType)
    if (type === undefined) throw new ImpossibleDefinition('value.dataType', `must be one of ${checkableNames}`)
    return { kind: 'datatype', column: column().name, dataType: formatType(type) }
  },
  { reads: readsColumn },
)
