import type { RunMarkerConfig, TableMessage } from '@assay/contracts'
import { datasetLocator, isOfFiles, type Window } from '@assay/data-engine'
import { runWindow } from '@assay/reliability'
import { AssayError } from '@assay/service-kit/errors'

/**
 * The rows that a profile looks at; `undefined`: all. Errors: `invalid` naming the field of the start, `unprocessable` for
 * what the asset cannot do.
 */
export function profileWindow(
  marker: RunMarkerConfig | null,
  table: Pick<TableMessage, 'columns' | 'locator'>,
): Window | undefined {
  if (marker === null) return undefined
  const locator = datasetLocator.safeParse(table.locator)
  const read = runWindow(marker, { columns: table.columns, isFiles: locator.success && isOfFiles(locator.data) })
  if ('window' in read) return read.window
  const { kind, path, message } = read.problem
  throw new AssayError(kind, `${path === '' ? 'data.markerConfig' : `data.markerConfig.${path}`}: ${message}.`)
}
