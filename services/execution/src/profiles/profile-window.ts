import { asSentence, type RunMarkerConfig, type TableMessage } from '@assay/contracts'
import type { Window } from '@assay/data-engine'
import { markerKey, type ReadMarker, runWindow, storedWindow } from '@assay/reliability'
import { AssayError } from '@assay/service-kit/errors'
import type { AskedProfile } from '../asset-profiles/asset-profiles.ts'
import { markedAsset } from '../running/run-window.ts'

type MarkedTable = Pick<TableMessage, 'columns' | 'locator'>

type StoredMarker = { type: string } & Partial<
  Record<'columnName' | 'initialOffset' | 'format' | 'timeZoneId', unknown>
>

/** The marker of a start request in the form in which policies store markers. */
function storedMarkerOf(marker: RunMarkerConfig): StoredMarker {
  const ends = 'toId' in marker ? ['toId', marker.toId] : 'toDate' in marker ? ['toDate', marker.toDate] : []
  if (ends[1] !== undefined)
    throw new AssayError('invalid', `data.markerConfig.${ends[0]}: an INCREMENTAL profile has no end; leave it out.`)
  switch (marker.type) {
    case 'bound':
      return { type: 'IdMarkerConfig', columnName: marker.idColumnName, initialOffset: marker.fromId }
    case 'boundDateTime': {
      const { dateColumnName: columnName, fromDate: initialOffset, format, timeZoneId } = marker
      return { type: 'DateTimeMarkerConfig', columnName, initialOffset, format, timeZoneId }
    }
    case 'boundFileEvent':
      return { type: 'FileEventMarkerConfig', initialOffset: marker.fromDate, timeZoneId: marker.timeZoneId }
    case 'DateBasedPartitionMarkerConfig':
    case 'DayMonthYearBasedPartitionMarkerConfig': {
      const { fromDate: initialOffset, toDate: _, ...others } = marker
      return { ...others, initialOffset }
    }
    default:
      return marker
  }
}

/** The field of the request for a field of the marker that `storedMarkerOf` made from it. */
function sentField({ type }: RunMarkerConfig, path: string): string {
  if (type === 'TimestampBasedMarkerConfig') return path
  if (path === 'initialOffset') return type === 'bound' ? 'fromId' : 'fromDate'
  if (path !== 'columnName') return path
  return type === 'bound' ? 'idColumnName' : type === 'boundDateTime' ? 'dateColumnName' : path
}

/**
 * The rows that a profile reads; `undefined` means all. `mark`: the marker position of the previous profile. Throws
 * `invalid` naming the field of the request, `unprocessable` if the asset does not support the marker.
 */
export function profileWindow(
  { profilingType, markerConfig }: Pick<AskedProfile, 'profilingType' | 'markerConfig'>,
  table: MarkedTable,
  mark: string | null = null,
): Window | undefined {
  if (markerConfig === null) return undefined
  const asset = markedAsset(table.columns, table.locator)
  const read: ReadMarker =
    profilingType === 'INCREMENTAL'
      ? storedWindow(storedMarkerOf(markerConfig), asset, mark)
      : runWindow(markerConfig, asset)
  if ('window' in read) return read.window
  const { kind, path, message } = read.problem
  const field = path === '' ? 'data.markerConfig' : `data.markerConfig.${sentField(markerConfig, path)}`
  throw new AssayError(kind, asSentence(`${field}: ${message}`))
}

/**
 * Identifies the marker, the columns and the definition of a view. A profile continues the last one with the same key.
 * `null` means the profile continues no other profile.
 */
export function stateKey({ profilingType, markerConfig, selectedColumns, view }: AskedProfile): string | null {
  if (profilingType !== 'INCREMENTAL' || markerConfig === null) return null
  return JSON.stringify([markerKey(storedMarkerOf(markerConfig)), selectedColumns, view ?? null])
}
