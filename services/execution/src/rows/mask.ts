import { maskText } from '@assay/contracts'
import { isMasked, keptName, type Mask, maskOfTable, type RewriteRequest } from '@assay/data-engine'
import type { ReadYourWrites } from '@assay/event-store'
import { type EachSide, hiddenInPairs } from '@assay/reliability'
import { type Caller, seenOf } from '@assay/service-kit'
import type { KeptFile, SideName } from '../execution/run.ts'
import { bySide, bySideInTurn } from '../execution/sides.ts'
import type { Copies } from '../references/copies.ts'
import { protectedNow } from '../references/tags.ts'
import type { KnownExecution, KnownTable } from '../versions/versions.ts'
import type { Preview } from './preview.ts'

/** The caller that results are shown to. */
export type Viewer = Pick<Caller, 'identity' | 'seen' | 'signal'>

/** The masks of the sides for the caller, by current protection; `null` means nothing is hidden. */
export type MasksFor = (call: Viewer, state: KnownExecution, copies?: Copies) => Promise<EachSide<Mask | null>>

export function createMasksFor({
  documents,
  readYourWrites,
}: {
  documents: Copies
  readYourWrites: ReadYourWrites
}): MasksFor {
  return async (call, { run }, copies = documents) => {
    const { identity } = call
    if (identity.permissions.has('ASSET_PROTECTED_VIEW')) return bySide(run.tables, () => null)
    const { tenant } = identity
    await readYourWrites(seenOf(call, 'catalog'))
    return bySideInTurn(run.tables, async (table) => {
      const assets = await protectedNow(copies, tenant, table)
      if (assets.size === 0) return null
      const columns = table.columns.map(({ id, name, dataType: type }) => ({ id, name: keptName(name), type }))
      const mask = maskOfTable({ assetId: table.assetId, columns }, assets)
      if (mask === 'all') return mask
      // By name too, because nested values are text in CSV.
      return { ...mask, columns: new Set(columns.filter((column) => isMasked(column, mask)).map(({ name }) => name)) }
    })
  }
}

/**
 * The mask of stored rows. `masks`: the masks of the tables, in order. Also masks columns that are compared with a
 * protected one. Pure.
 */
export function maskOfRows(
  masks: EachSide<Mask | null>,
  tables: readonly Pick<KnownTable, 'side'>[],
  { sides }: Pick<KeptFile, 'sides'>,
): Mask | null {
  if (sides === undefined) return masks[0]
  const maskOf = (side: SideName) => masks[tables.findIndex((table) => table.side === side)] ?? null
  const isProtected = (side: SideName, column: string) => {
    const mask = maskOf(side)
    return sides.some(
      (one) =>
        mask !== null &&
        one.side === side &&
        one.column === column &&
        isMasked({ name: column, type: one.dataType }, mask),
    )
  }
  // The columns of a pair are next to each other.
  const pairs = sides.flatMap(({ column: left }, index) => {
    const right = sides[index + 1]
    return index % 2 === 1 || right === undefined ? [] : [{ left, right: right.column }]
  })
  const isHidden = hiddenInPairs(pairs, isProtected)
  const hidden = sides.filter(({ side, column }) => isHidden(side, column))
  return hidden.length === 0 ? null : { columns: new Set(hidden.map(({ name }) => name)), nested: false }
}

/** The rows with masked values. The ids of the items that they failed stay. Pure. */
export function maskedPreview(preview: Preview, mask: Mask): Preview {
  const hidden = preview.fields.filter((field) => isMasked(field, mask))
  if (hidden.length === 0) return preview
  const masks = Object.fromEntries(hidden.map(({ name }) => [name, maskText]))
  return { ...preview, rows: preview.rows.map((row) => ({ ...row, values: { ...row.values, ...masks } })) }
}

/** The mask for the data engine. */
export function engineMask(mask: Mask | null): RewriteRequest['mask'] {
  if (mask === null) return null
  if (mask === 'all') return { columns: null, nested: true }
  const { columns, nested, known } = mask
  return { columns: [...columns], nested, known: known && [...known] }
}
