import { itemKinds } from '@assay/contracts'
import { ImpossibleDefinition, missingColumn, namedColumn } from '../definition.ts'
import { rowMeasurement } from './measurement.ts'
import { readsColumn } from './reads.ts'

export const valuesInLookup = rowMeasurement(
  itemKinds.VALUES_IN_LOOKUP,
  ({ value, column, references }) => {
    const { lookupAssetId, lookupColumnName } = value()
    const { name } = column()
    const found = references.lookup(lookupAssetId)
    if (found === undefined)
      throw new ImpossibleDefinition(
        'value.lookupAssetId',
        `there is no table, view or file with the id ${lookupAssetId}`,
      )
    if (namedColumn(found.columns, lookupColumnName) === undefined)
      throw new ImpossibleDefinition('value.lookupColumnName', missingColumn(lookupColumnName, found.columns, 'lookup'))
    return { kind: 'in-lookup', column: name, lookup: { dataset: found.dataset, column: lookupColumnName } }
  },
  {
    reads(item, value) {
      const { lookupAssetId: assetId, lookupColumnName: columnName } = value()
      return { ...readsColumn(item), lookups: [{ assetId, columnName }] }
    },
    needs: ({ lookupAssetId }) => ({ lookupAssetIds: [lookupAssetId] }),
    checkForm({ column, value }) {
      column()
      value()
    },
  },
)
