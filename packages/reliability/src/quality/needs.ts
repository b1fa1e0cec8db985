import type { ItemRecord } from '@assay/contracts'

/** What items name beside columns of their own table. */
export interface Needs {
  udfIds: readonly number[]
  lookupAssetIds: readonly number[]
  /** Texts of SELECTs. */
  selects: readonly string[]
  tags: readonly string[]
}

type Naming = Pick<ItemRecord, 'measurementType' | 'value'>

function valuesOf(items: readonly Naming[], kind: ItemRecord['measurementType'], key: string): unknown[] {
  return items.flatMap(({ measurementType, value }) => (measurementType === kind ? [value?.[key]] : []))
}

function numbersOf(items: readonly Naming[], kind: ItemRecord['measurementType'], key: string): number[] {
  const isNumber = (value: unknown): value is number => Number.isSafeInteger(value)
  return [...new Set(valuesOf(items, kind, key).filter(isNumber))]
}

function textsOf(items: readonly Naming[], kind: ItemRecord['measurementType'], key: string): string[] {
  return valuesOf(items, kind, key).flatMap((value) => (typeof value === 'string' ? [value] : []))
}

/** What of other assets, templates and tags items need to be known. Pure. */
export function needsOf(items: readonly Naming[]): Needs {
  return {
    udfIds: numbersOf(items, 'UDF_PREDICATE', 'udfId'),
    lookupAssetIds: numbersOf(items, 'VALUES_IN_LOOKUP', 'lookupAssetId'),
    selects: textsOf(items, 'SQL_METRIC', 'sql'),
    tags: textsOf(items, 'TAG_MATCH', 'tag'),
  }
}
