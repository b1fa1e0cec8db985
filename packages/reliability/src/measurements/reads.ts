import { writtenText } from '../definition.ts'

/** References of an item other than to its own table. */
export interface Needs {
  udfIds: readonly number[]
  lookupAssetIds: readonly number[]
  /** Texts of SELECTs. */
  selects: readonly string[]
  tags: readonly string[]
}

export const noNeeds: Needs = { udfIds: [], lookupAssetIds: [], selects: [], tags: [] }

/** Merges needs; each reference occurs once. Pure. */
export function allNeeds(each: readonly Partial<Needs>[]): Needs {
  const all = <T>(named: (one: Partial<Needs>) => readonly T[] | undefined) => [
    ...new Set(each.flatMap((one) => named(one) ?? [])),
  ]
  return {
    udfIds: all((one) => one.udfIds),
    lookupAssetIds: all((one) => one.lookupAssetIds),
    selects: all((one) => one.selects),
    tags: all((one) => one.tags),
  }
}

/** The values that an outcome depends on, protected or not. */
export interface Reads {
  /** Columns of its own table, or fields within them. */
  columns: readonly string[]
  /** Whether the outcome depends on everything that the item's SQL touches. */
  sql: boolean
  /** The text of a SELECT, which may read other tables. */
  select?: string
  /** Columns of other assets. */
  lookups: readonly { assetId: number; columnName: string }[]
  /** Whether the definition is invalid, so that it may read anything. */
  isUnknown?: true
}

interface ReadingItem {
  columnName: string | null
  ruleExpression: string | null
}

/** The numbers of missing, distinct and duplicate values of a column reveal no value. */
export const readsNoValues = (): Partial<Reads> => ({})
export const readsColumn = ({ columnName }: ReadingItem): Pick<Reads, 'columns'> => ({
  columns: columnName === null ? [] : [columnName],
})
export const readsExpression = ({ ruleExpression }: ReadingItem): Pick<Reads, 'sql'> => ({
  sql: writtenText(ruleExpression) !== undefined,
})
