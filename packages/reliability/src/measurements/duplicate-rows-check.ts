import { itemKinds } from '@assay/contracts'
import { ImpossibleDefinition, knownColumn } from '../definition.ts'
import { rowMeasurement } from './measurement.ts'
import { readsNoValues } from './reads.ts'

/** Checks the columns in `value`; without them, the item's column; without both, whole rows. */
export const duplicateRowsCheck = rowMeasurement(
  itemKinds.DUPLICATE_ROWS_CHECK,
  ({ item, value, columns }) => {
    const named = value().columns
    const names = named ?? (item.columnName === null ? null : [item.columnName])
    const path = named === undefined ? 'columnName' : 'value.columns'
    const twice = names?.find((name, index) => names.indexOf(name) !== index)
    if (twice !== undefined) throw new ImpossibleDefinition(path, `names the column '${twice}' twice`)
    return { kind: 'duplicate', columns: names?.map((name) => knownColumn(columns, name, path).name) ?? null }
  },
  { reads: readsNoValues },
)
