import { type ArrivalPolicy, inOrder, type OwnItem, selectedOf } from './definition.ts'

/** An item of a run. `own` is null for an inferred item of a policy without items. */
export interface CadenceItem {
  id: number
  name: string
  /** ARRIVAL: whether data arrived when it usually does. */
  measurementType: string
  columnName: null
  own: OwnItem | null
}

/** The order must not change, because it determines the ids of the items. */
const inferred = [
  { measurementType: 'RECORD_COUNT_TOTAL', name: 'Rows' },
  { measurementType: 'DATA_VOLUME_TOTAL', name: 'Bytes' },
  { measurementType: 'FILE_COUNT_TOTAL', name: 'Files' },
  { measurementType: 'ARRIVAL', name: 'Arrival' },
  { measurementType: 'MESSAGES_COUNT_TOTAL', name: 'Messages' },
]

/** The items of a run: the selected ones, else all. A policy without items has inferred ones, with stable ids. Pure. */
export function cadenceItems(policy: ArrivalPolicy, selection: readonly number[] | null): CadenceItem[] {
  const all = inOrder(policy.items).map((own): CadenceItem => {
    const { id, displayName: name, measurementType } = own
    return { id, name, measurementType, columnName: null, own }
  })
  if (all.length > 0) return selectedOf(all, selection)
  const made = inferred.map((one, index) => ({
    ...one,
    id: policy.policyId * 10 + index + 1,
    columnName: null,
    own: null,
  }))
  return selectedOf(made, selection)
}
