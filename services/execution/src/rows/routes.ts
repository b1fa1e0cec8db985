import type { Artifacts } from '@assay/artifacts'
import { executionKinds, type Operation, policyTypes, rowNumber } from '@assay/contracts'
import { isMasked, type KeptRowFiles, keptRows } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import { type Call, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { KeptFile } from '../execution/run.ts'
import { findExecution } from '../reading/routes.ts'
import { maxDifferences } from '../running/measure-plan.ts'
import type { KnownExecution, Versions } from '../versions/versions.ts'
import { comparedRows } from './compared-rows.ts'
import type { LocalCopies } from './local-copies.ts'
import { maskedPreview } from './mask.ts'
import { type Preview, parsePreview, previewPage, type RowPage } from './preview.ts'
import { rewrittenFile } from './rewritten-file.ts'
import { type Order, orderOf } from './row-order.ts'
import { rowsGone, storedRows } from './stored-rows.ts'
import { type VisibleRows, type VisibleRowsFor, withShownItems } from './visible-rows.ts'

/** Serves the rows that a run stored: the first rows in pages, and all rows as a file. */
export function rowsRoutes(deps: {
  documents: Documents
  artifacts: Artifacts
  copies: LocalCopies
  engine: KeptRowFiles
  visibleRows: VisibleRowsFor
  versions: Versions
}): Route[] {
  const { documents, artifacts, copies, engine, visibleRows, versions } = deps

  /** The rows of one item may be anywhere in the file, so the engine searches it for them. */
  async function pageOfItem(asked: {
    call: Pick<Call<Operation>, 'identity' | 'signal'>
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

  return policyTypes.flatMap((type) => [
    route(executionKinds[type].rows, async (call) => {
      const { category, itemId, page, size, sortBy } = call.query
      const paging: RowPage = { page, size }
      const stored = await findExecution(documents, call.identity.tenant, call.params.id, type)
      const kept = storedRows(stored.document, category)
      const text = await artifacts.readText(`${kept.key}/${kept.previewFile}`)
      if (text === undefined) throw rowsGone()
      const state = await versions.of(call.identity.tenant, stored.document)
      if (itemId !== undefined) assertItem(state, itemId)
      const visible = await visibleRows(call, state, { category, itemId })
      const { mask, shownItems } = visible
      const all = parsePreview(text)
      const order = orderOf(sortBy, all.fields, rowNumber)
      if (mask !== null && all.fields.some((field) => field.name === order.column && isMasked(field, mask)))
        throw new AssayError(
          'forbidden',
          `sortBy: '${order.column}' is protected; sorting by it requires ASSET_PROTECTED_VIEW.`,
        )
      const preview = mask === null ? all : maskedPreview(all, mask)
      const isWhole = kept.file === null || all.rows.length >= kept.rows
      const { rows, count } =
        isWhole || kept.file === null || (itemId === undefined && shownItems === undefined)
          ? previewPage(withShownItems(preview, shownItems), { itemId, order, ...paging })
          : await pageOfItem({ call, kept, file: kept.file, visible, fields: preview.fields, itemId, paging, order })
      // The number of all rows would reveal how many are hidden.
      const inFile = kept.sides === undefined ? kept.rows : Math.min(kept.rows, maxDifferences)
      const fileRows = shownItems === undefined ? inFile : null
      const leftOut = kept.sides === undefined ? {} : { rowsLeftOut: kept.rows - inFile }
      return {
        body: {
          data: { schema: { fields: preview.fields }, rows: comparedRows(rows, kept) },
          meta: { count, page, size, fileRows, ...leftOut },
        },
        position: stored.source.position,
      }
    }),
    route(executionKinds[type].download, async (call) => {
      const { category, format, itemId } = call.query
      const { tenant } = call.identity
      const stored = await findExecution(documents, call.identity.tenant, call.params.id, type)
      const kept = storedRows(stored.document, category)
      const state = await versions.of(tenant, stored.document)
      if (itemId !== undefined) assertItem(state, itemId)
      const wanted = format ?? kept.format
      const visible = await visibleRows(call, state, { category, itemId })
      if (kept.file === null) throw new AssayError('unprocessable', `The execution found no ${category} rows.`)
      const opened = await artifacts.open(`${kept.key}/${kept.file}`)
      if (!opened) throw rowsGone()
      const only = itemId === undefined ? undefined : { ...allOf, itemId }
      const file =
        wanted === kept.format && visible.mask === null && visible.shownItems === undefined && only === undefined
          ? opened
          : await rewrittenFile(
              { artifacts, engine },
              { tenant, source: opened, from: kept.format, to: wanted, ...visible, only, signal: call.signal },
            )
      const ofItem = itemId === undefined ? '' : `-item-${itemId}`
      const name = `execution-${call.params.id}-${category}${ofItem}.${wanted.toLowerCase()}`
      return { file: { name, contentType: contentTypeOf(wanted), ...file }, position: stored.source.position }
    }),
  ])
}

/** One page that holds every row. */
const allOf = { page: 0, size: Number.MAX_SAFE_INTEGER, fromEnd: false }

function assertItem({ run }: KnownExecution, itemId: number): void {
  if (!run.definition.hasItem(itemId))
    throw new AssayError('not-found', `The policy of this execution has no item with the id ${itemId}.`)
}

function contentTypeOf(format: KeptFile['format']): string {
  switch (format) {
    case 'PARQUET':
      return 'application/vnd.apache.parquet'
    case 'CSV':
      return 'text/csv; charset=utf-8'
    case 'JSON':
      return 'application/json'
    default:
      return format satisfies never
  }
}
