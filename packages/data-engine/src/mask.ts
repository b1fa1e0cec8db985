import { isNested } from './types/logical-type.ts'
import { parseType } from './types/parse-type.ts'

/**
 * The columns that are hidden from keys without ASSET_PROTECTED_VIEW. `nested`: also hides all columns of nested types.
 * `known`: hides all columns that it does not list, because rows may have columns that were since renamed or removed at
 * the source; omitted if all columns are known.
 */
export type Mask = 'all' | { columns: ReadonlySet<string>; nested: boolean; known?: ReadonlySet<string> }

/**
 * The mask of a table. `protectedAssets`: ids of those among the table, its columns and their fields that have a
 * protected tag. Only the catalog knows to which column a field belongs, so a protected field hides all columns of
 * nested types.
 */
export function maskOfTable(
  table: { assetId: number; columns: readonly { id: number; name: string }[] },
  protectedAssets: ReadonlySet<number>,
): Mask {
  if (protectedAssets.has(table.assetId)) return 'all'
  const own = table.columns.filter(({ id }) => protectedAssets.has(id))
  return {
    columns: new Set(own.map(({ name }) => name)),
    nested: own.length < protectedAssets.size,
    known: new Set(table.columns.map(({ name }) => name)),
  }
}

/** `type` is the engine's name of the type. */
export function isMasked(field: { name: string; type: string }, mask: Mask): boolean {
  if (mask === 'all' || mask.columns.has(field.name) || (mask.nested && isNested(parseType(field.type)))) return true
  return mask.known !== undefined && !mask.known.has(field.name)
}
