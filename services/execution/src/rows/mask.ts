import { maskText } from '@assay/contracts'
import { isMasked, type Mask, maskOfTable, type RewriteRequest } from '@assay/data-engine'
import type { ReadYourWrites } from '@assay/event-store'
import type { Caller } from '@assay/service-kit'
import type { Copies } from '../references/copies.ts'
import { protectedNow } from '../references/tags.ts'
import type { KnownExecution } from '../versions/versions.ts'
import type { Preview } from './preview.ts'

/** The name that our own column of rows has; a column of the data that is called so is kept under another. */
const idsColumn = '__rule_item_ids'

/** Who is to be shown something. */
export type Viewer = Pick<Caller, 'identity' | 'seen' | 'signal'>

/** What is hidden from the caller now, whatever was when the rows were kept; null: nothing. */
export type MaskFor = (call: Viewer, state: KnownExecution, copies?: Copies) => Promise<Mask | null>

export function createMaskFor({
  documents,
  followedTags,
}: {
  documents: Copies
  followedTags: ReadYourWrites
}): MaskFor {
  return async ({ identity, seen, signal }, { run }, copies = documents) => {
    if (identity.permissions.has('ASSET_PROTECTED_VIEW')) return null
    const { tenant } = identity
    await followedTags.waitForPosition({ tenant, seen: seen.get('catalog'), look: async () => undefined, signal })
    const assets = await protectedNow(copies, tenant, run.table)
    if (assets.size === 0) return null
    const columns = run.table.columns.map(({ id, name, dataType: type }) => ({ id, name: keptName(name), type }))
    const mask = maskOfTable({ assetId: run.table.assetId, columns }, assets)
    if (mask === 'all') return mask
    // By name too: kept as CSV, what has an inner structure is text.
    return { ...mask, columns: new Set(columns.filter((column) => isMasked(column, mask)).map(({ name }) => name)) }
  }
}

function keptName(name: string): string {
  return name.toLowerCase() === idsColumn ? `${name}_source` : name
}

/** The rows with the mask over them. Which items they broke stays. Pure. */
export function maskedPreview(preview: Preview, mask: Mask): Preview {
  const hidden = preview.fields.filter((field) => isMasked(field, mask))
  if (hidden.length === 0) return preview
  const masks = Object.fromEntries(hidden.map(({ name }) => [name, maskText]))
  return { ...preview, rows: preview.rows.map((row) => ({ ...row, values: { ...row.values, ...masks } })) }
}

/** As the data engine takes it. */
export function engineMask(mask: Mask | null): RewriteRequest['mask'] {
  if (mask === null) return null
  if (mask === 'all') return { columns: null, nested: true }
  const { columns, nested, known } = mask
  return { columns: [...columns], nested, known: known && [...known] }
}
