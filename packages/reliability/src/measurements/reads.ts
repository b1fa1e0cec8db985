import { writtenText } from '../definition.ts'

/** What else than its own table an item names. */
export interface Needs {
  udfIds: readonly number[]
  lookupAssetIds: readonly number[]
  /** Texts of SELECTs. */
  selects: readonly string[]
  tags: readonly string[]
}

/** All of them, each once. Pure. */
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

/** The values that an outcome depends on. Whether any of them is protected is asked elsewhere. */
export interface Reads {
  /** Columns of its own table, or fields within them. */
  columns: readonly string[]
  /** Whether it depends on all that its SQL touches. */
  sql: boolean
  /** The text of a SELECT, which may read other tables. */
  select?: string
  /** Columns of other assets. */
  lookups: readonly { assetId: number; columnName: string }[]
  /** It may read anything: its definition cannot be read. */
  isUnknown?: true
}

interface ReadingItem {
  columnName: string | null
  ruleExpression: string | null
}

/** Counting the missing, distinct and duplicate values of a column tells none of them. */
export const readsNoValues = (): Partial<Reads> => ({})
export const readsColumn = ({ columnName }: ReadingItem): Pick<Reads, 'columns'> => ({
  columns: columnName === null ? [] : [columnName],
})
export const readsExpression = ({ ruleExpression }: ReadingItem): Pick<Reads, 'sql'> => ({
  sql: writtenText(ruleExpression) !== undefined,
})
