import type { Artifacts } from '@assay/artifacts'
import { executionKinds, policyTypes } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { KeptFile } from '../execution/run.ts'
import { findExecution } from '../reading/routes.ts'
import { parsePreview, previewPage } from './preview.ts'
import { rowsGone, storedRows } from './stored-rows.ts'

/** The rows that a run kept: the first ones page by page, all of them as a file. */
export function rowsRoutes(deps: { documents: Documents; artifacts: Artifacts }): Route[] {
  const { documents, artifacts } = deps
  return policyTypes.flatMap((type) => [
    route(executionKinds[type].rows, async (call) => {
      const { category, itemId, page, size } = call.query
      const stored = await findExecution(documents, call.identity.tenant, call.params.id, type)
      const kept = storedRows(stored.document, category)
      const text = await artifacts.readText(`${kept.key}/${kept.previewFile}`)
      if (text === undefined) throw rowsGone()
      const preview = parsePreview(text)
      const { rows, count } = previewPage(preview, { itemId, page, size })
      return {
        body: { data: { schema: { fields: preview.fields }, rows }, meta: { count, page, size } },
        position: stored.source.position,
      }
    }),
    route(executionKinds[type].download, async (call) => {
      const { category, format } = call.query
      const stored = await findExecution(documents, call.identity.tenant, call.params.id, type)
      const kept = storedRows(stored.document, category)
      if (format !== undefined && format !== kept.format) {
        throw new AssayError('unprocessable', `The ${category} rows are stored as ${kept.format}, not as ${format}.`)
      }
      if (kept.file === null) throw new AssayError('unprocessable', `The execution met no ${category} rows.`)
      const opened = await artifacts.open(`${kept.key}/${kept.file}`)
      if (!opened) throw rowsGone()
      const name = `execution-${call.params.id}-${category}.${kept.file.slice(kept.file.lastIndexOf('.') + 1)}`
      return { file: { name, contentType: contentTypeOf(kept.format), ...opened }, position: stored.source.position }
    }),
  ])
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
