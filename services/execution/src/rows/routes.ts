import type { Artifacts } from '@assay/artifacts'
import { executionKinds, policyTypes } from '@assay/contracts'
import type { KeptRowFiles } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import { type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { KeptFile } from '../execution/run.ts'
import { findExecution } from '../reading/routes.ts'
import { maxCompared } from '../running/measure-plan.ts'
import type { KnownExecution, Versions } from '../versions/versions.ts'
import { comparedRows } from './compared-rows.ts'
import { rewrittenFile } from './rewritten-file.ts'
import type { RowPages } from './row-pages.ts'
import { rowsGone, storedRows } from './stored-rows.ts'
import type { VisibleRowsFor } from './visible-rows.ts'

/** Serves the rows that a run stored: the first rows in pages, and all rows as a file. */
export function rowsRoutes(deps: {
  documents: Documents
  artifacts: Artifacts
  engine: KeptRowFiles
  pages: RowPages
  visibleRows: VisibleRowsFor
  versions: Versions
}): Route[] {
  const { documents, artifacts, engine, pages, visibleRows, versions } = deps

  return policyTypes.flatMap((type) => [
    route(executionKinds[type].rows, async (call) => {
      const { category, itemId, page, size, sortBy } = call.query
      const stored = await findExecution(documents, call.identity.tenant, call.params.id, type)
      const kept = storedRows(stored.document, category)
      const state = await versions.of(call.identity.tenant, stored.document)
      if (itemId !== undefined) assertItem(state, itemId)
      const visible = await visibleRows(call, state, { category, itemId })
      const { shownItems } = visible
      const { fields, rows, count } = await pages.read(call, kept, { visible, itemId, sortBy, page, size })
      // The number of all rows would reveal how many are hidden.
      const inFile = kept.sides === undefined ? kept.rows : (kept.stored ?? Math.min(kept.rows, maxCompared))
      const fileRows = shownItems === undefined ? inFile : null
      const leftOut = kept.sides === undefined ? {} : { rowsLeftOut: kept.rows - inFile }
      return {
        body: {
          data: { schema: { fields }, rows: comparedRows(rows, kept) },
          meta: { count, page, size, fileRows, ...leftOut },
        },
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
      return { file: { name, contentType: contentTypeOf(wanted), ...file } }
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
