import type { Mask } from '@assay/data-engine'
import { AssayError } from '@assay/service-kit/errors'
import { dependenceOfRun, hiddenPartsOf, itemsOf } from '../reading/masked-outcomes.ts'
import type { Copies } from '../references/copies.ts'
import type { KnownExecution } from '../versions/versions.ts'
import { type MasksFor, maskOfRows, type Viewer } from './mask.ts'
import type { Preview } from './preview.ts'
import { type Category, storedRows } from './stored-rows.ts'

/** The stored rows of a run that the caller may see, and how they are masked. */
export interface VisibleRows {
  mask: Mask | null
  /** Only rows that failed one of these items, without the ids of others. Absent means all rows. */
  shownItems: readonly number[] | undefined
}

export type VisibleRowsFor = (
  call: Viewer,
  state: KnownExecution,
  asked: { category: Category; itemId?: number | undefined },
) => Promise<VisibleRows>

/** A stored row may reveal protected values by its presence, so rows of items that depend on them are left out. */
export function createVisibleRows({ masksFor, documents }: { masksFor: MasksFor; documents: Copies }): VisibleRowsFor {
  return async (call, state, { category, itemId }) => {
    const { permissions, tenant } = call.identity
    if (permissions.has('ASSET_PROTECTED_VIEW')) return { mask: null, shownItems: undefined }
    const mask = maskOfRows(await masksFor(call, state), state.run.tables, storedRows(state, category))
    const hidden = hiddenPartsOf(state, await dependenceOfRun(documents, tenant, state))
    if (hidden === undefined) return { mask, shownItems: undefined }
    const shownItems = itemsOf(state.run).filter((id) => !hidden.items.has(id))
    const isHidden = itemId !== undefined && hidden.items.has(itemId)
    if (category === 'good' || shownItems.length === 0 || isHidden)
      throw new AssayError(
        'forbidden',
        'These rows depend on protected columns; reading them requires ASSET_PROTECTED_VIEW.',
      )
    return { mask, shownItems }
  }
}

/** The rows that failed a shown item, without the ids of other items. Pure. */
export function withShownItems(preview: Preview, shownItems: readonly number[] | undefined): Preview {
  if (shownItems === undefined) return preview
  const rows = preview.rows.flatMap((row) => {
    const ruleItemIds = row.ruleItemIds.filter((id) => shownItems.includes(id))
    return ruleItemIds.length === 0 ? [] : [{ ...row, ruleItemIds }]
  })
  return { ...preview, rows }
}
