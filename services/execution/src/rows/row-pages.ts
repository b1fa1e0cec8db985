import type { Artifacts } from '@assay/artifacts'
import { rowNumber } from '@assay/contracts'
import { isMasked, type KeptRowFiles, keptRows } from '@assay/data-engine'
import { AssayError } from '@assay/service-kit/errors'
import type { KeptFile } from '../execution/run.ts'
import type { LocalCopies } from './local-copies.ts'
import { maskedPreview, type Viewer } from './mask.ts'
import { type Preview, parsePreview, previewPage, type RowPage } from './preview.ts'
import { rewrittenFile } from './rewritten-file.ts'
import { type Order, orderOf } from './row-order.ts'
import { rowsGone } from './stored-rows.ts'
import { type VisibleRows, withShownItems } from './visible-rows.ts'

/** What is read of the rows of a run. `itemId`: only rows that failed this item. */
interface PageAsked extends RowPage {
  visible: VisibleRows
  itemId?: number | undefined
  sortBy?: { field: string; direction: 'asc' | 'desc' } | undefined
}

/** Pages of stored rows: the first 100 of all, or all of one item. Values that the caller may not see are masked. */
export interface RowPages {
  read(
    call: Pick<Viewer, 'identity' | 'signal'>,
    kept: KeptFile,
    asked: PageAsked,
  ): Promise<{ fields: Preview['fields']; rows: Preview['rows']; count: number }>
}

export function createRowPages(deps: { artifacts: Artifacts; copies: LocalCopies; engine: KeptRowFiles }): RowPages {
  const { artifacts, copies, engine } = deps

  /** The rows of one item may be anywhere in the file, so the engine searches it for them. */
  async function pageOfItem(asked: {
    call: Pick<Viewer, 'identity' | 'signal'>
    kept: KeptFile
    file: string
    visible: VisibleRows
    fields: Preview['fields']
    itemId: number | undefined
    paging: RowPage
    order: Order
  }) {
    const { call, kept, file, visible, fields, itemId, paging, order } = asked
    const opened = await copies.open(call.identity.tenant, `${kept.key}/${file}`)
    if (!opened) throw rowsGone()
    const sorted = order.column === null ? undefined : order
    // Rows that the engine has sorted are in order already.
    const fromEnd = sorted === undefined && order.direction === 'desc'
    const of = {
      tenant: call.identity.tenant,
      source: opened,
      from: kept.format,
      to: 'JSON' as const,
      ...visible,
    }
    const only = { itemId: itemId ?? null, ...paging, fromEnd }
    const page = await rewrittenFile({ artifacts, engine }, { ...of, order: sorted, only, signal: call.signal })
    const rows = await keptRows(page.stream, { fields, isCsv: kept.format === 'CSV' })
    return { rows: fromEnd ? rows.toReversed() : rows, count: page.count ?? rows.length }
  }

  return {
    async read(call, kept, { visible, itemId, sortBy, page, size }) {
      const text = await artifacts.readText(`${kept.key}/${kept.previewFile}`)
      if (text === undefined) throw rowsGone()
      const paging = { page, size }
      const { mask, shownItems } = visible
      const all = parsePreview(text)
      const order = orderOf(sortBy, all.fields, rowNumber)
      if (mask !== null && all.fields.some((field) => field.name === order.column && isMasked(field, mask)))
        throw new AssayError(
          'forbidden',
          `sortBy: '${order.column}' is protected; sorting by it requires ASSET_PROTECTED_VIEW.`,
        )
      const preview = mask === null ? all : maskedPreview(all, mask)
      const { fields } = preview
      const isWhole = kept.file === null || all.rows.length >= kept.rows
      const found =
        isWhole || kept.file === null || (itemId === undefined && shownItems === undefined)
          ? previewPage(withShownItems(preview, shownItems), { itemId, order, ...paging })
          : await pageOfItem({ call, kept, file: kept.file, visible, fields, itemId, paging, order })
      return { fields, ...found }
    },
  }
}
