import type { Artifacts } from '@assay/artifacts'
import { executionKinds, type Mask, type Operation, policyTypes, rowNumber } from '@assay/contracts'
import type { DataEngine } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import { type Call, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { Execution } from '../execution/execution.ts'
import type { KeptFile } from '../execution/run.ts'
import { findExecution } from '../reading/routes.ts'
import { keptRows } from './kept-lines.ts'
import { type MaskFor, maskedPreview } from './mask.ts'
import { type Preview, parsePreview, previewPage, type RowPage } from './preview.ts'
import { rewrittenFile } from './rewritten-file.ts'
import { type Order, orderOf } from './row-order.ts'
import { rowsGone, storedRows } from './stored-rows.ts'

/** The rows that a run kept: the first ones page by page, all of them as a file. */
export function rowsRoutes(deps: {
  documents: Documents
  artifacts: Artifacts
  engine: Pick<DataEngine, 'rewrite'>
  maskFor: MaskFor
}): Route[] {
  const { documents, artifacts, engine, maskFor } = deps

  /** Of the rows of one item the first ones are anywhere among those kept: the engine reads through the file for them. */
  async function pageOfItem(asked: {
    call: Pick<Call<Operation>, 'identity' | 'signal'>
    kept: KeptFile
    file: string
    mask: Mask | null
    fields: Preview['fields']
    itemId: number
    paging: RowPage
    order: Order
  }) {
    const { call, kept, file, mask, fields, itemId, paging, order } = asked
    const opened = await artifacts.open(`${kept.key}/${file}`)
    if (!opened) throw rowsGone()
    const sorted = order.column === null ? undefined : order
    // What the engine has sorted comes in that order already.
    const fromEnd = sorted === undefined && order.direction === 'desc'
    const of = { tenant: call.identity.tenant, source: opened.stream, from: kept.format, to: 'JSON' as const, mask }
    const only = { itemId, ...paging, fromEnd }
    const made = await rewrittenFile({ artifacts, engine }, { ...of, order: sorted, only, signal: call.signal })
    const rows = await keptRows(made.stream, { fields, isCsv: kept.format === 'CSV' })
    return { rows: fromEnd ? rows.toReversed() : rows, count: made.count ?? rows.length }
  }

  return policyTypes.flatMap((type) => [
    route(executionKinds[type].rows, async (call) => {
      const { category, itemId, page, size, sortBy } = call.query
      const paging: RowPage = { page, size }
      const stored = await findExecution(documents, call.identity.tenant, call.params.id, type)
      const kept = storedRows(stored.document, category)
      const text = await artifacts.readText(`${kept.key}/${kept.previewFile}`)
      if (text === undefined) throw rowsGone()
      const mask = await maskFor(call, stored.document)
      const preview = mask === null ? parsePreview(text) : maskedPreview(parsePreview(text), mask)
      if (itemId !== undefined) assertItem(stored.document, itemId)
      const order = orderOf(sortBy, preview.fields, rowNumber)
      const { rows, count } =
        itemId === undefined || kept.file === null || preview.rows.length >= kept.rows
          ? previewPage(preview, { itemId, order, ...paging })
          : await pageOfItem({ call, kept, file: kept.file, mask, fields: preview.fields, itemId, paging, order })
      return {
        body: { data: { schema: { fields: preview.fields }, rows }, meta: { count, page, size } },
        position: stored.source.position,
      }
    }),
    route(executionKinds[type].download, async (call) => {
      const { category, format } = call.query
      const { tenant } = call.identity
      const stored = await findExecution(documents, call.identity.tenant, call.params.id, type)
      const kept = storedRows(stored.document, category)
      const wanted = format ?? kept.format
      if (kept.file === null) throw new AssayError('unprocessable', `The execution met no ${category} rows.`)
      const opened = await artifacts.open(`${kept.key}/${kept.file}`)
      if (!opened) throw rowsGone()
      const mask = await maskFor(call, stored.document)
      const file =
        wanted === kept.format && mask === null
          ? opened
          : await rewrittenFile(
              { artifacts, engine },
              { tenant, source: opened.stream, from: kept.format, to: wanted, mask, signal: call.signal },
            )
      const name = `execution-${call.params.id}-${category}.${wanted.toLowerCase()}`
      return { file: { name, contentType: contentTypeOf(wanted), ...file }, position: stored.source.position }
    }),
  ])
}

function assertItem({ run }: Execution, itemId: number): void {
  if (!run.policy.details.items.some(({ id }) => id === itemId))
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
