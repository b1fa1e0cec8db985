import {
  type AssetSettingsMessage,
  type BodyOf,
  type profileOperations,
  type RunMarkerConfig,
  runMarkerConfig,
  type StoredMarker,
  type TableMessage,
} from '@assay/contracts'
import { type DatasetLocator, datasetLocator, isOfFiles } from '@assay/data-engine'
import { AssayError } from '@assay/service-kit/errors'
import type { AskedProfile } from '../asset-profiles/asset-profiles.ts'
import { profileWindow } from './profile-window.ts'

/** New files are those that changed after all files of the previous profile. */
const changeTimes = runMarkerConfig.parse({ type: 'boundFileEvent' })

/** The settings of an asset that decide what its profiles read. */
export type ProfileSettings = Pick<AssetSettingsMessage, 'freshnessColumn' | 'marker'>

/** Where an INCREMENTAL profile finds new rows, if nothing says so: change times of files, or the time column. */
function usualMarker(
  locator: DatasetLocator,
  { freshnessColumn }: Pick<ProfileSettings, 'freshnessColumn'>,
): RunMarkerConfig | undefined {
  if (isOfFiles(locator)) return changeTimes
  if (freshnessColumn === null) return undefined
  return runMarkerConfig.parse({ type: 'boundDateTime', dateColumnName: freshnessColumn, fromDate: '0001-01-01' })
}

function parsedMarker(marker: object): RunMarkerConfig {
  const parsed = runMarkerConfig.safeParse(marker)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')
  throw new AssayError('unprocessable', `The marker of the configuration cannot be used: ${problems}.`)
}

/** A marker of an asset's configuration in the form of a request. Without an offset, all rows are new at first. */
function requestedMarker(marker: StoredMarker): RunMarkerConfig {
  switch (marker.type) {
    case 'IdMarkerConfig': {
      const { columnName: idColumnName, initialOffset = Number.MIN_SAFE_INTEGER } = marker
      return parsedMarker({ type: 'bound', idColumnName, fromId: Number(initialOffset) })
    }
    case 'DateTimeMarkerConfig': {
      const { columnName: dateColumnName, initialOffset: fromDate = '0001-01-01', format, timeZoneId } = marker
      return parsedMarker({ type: 'boundDateTime', dateColumnName, fromDate, format, timeZoneId })
    }
    case 'FileEventMarkerConfig': {
      const { initialOffset: fromDate, timeZoneId } = marker
      return parsedMarker({ type: 'boundFileEvent', fromDate, timeZoneId })
    }
    case 'TimestampBasedMarkerConfig':
      return parsedMarker(marker)
    case 'DateBasedPartitionMarkerConfig':
    case 'DayMonthYearBasedPartitionMarkerConfig': {
      const { initialOffset, ...others } = marker
      return parsedMarker({ ...others, fromDate: initialOffset ?? others.fromDate })
    }
    default:
      return marker satisfies never
  }
}

/** The marker of an asset's configuration or, without one, the usual one. */
function ownMarker(locator: DatasetLocator, settings: ProfileSettings): RunMarkerConfig | undefined {
  return settings.marker === undefined ? usualMarker(locator, settings) : requestedMarker(settings.marker)
}

export type WantedProfile = Pick<AskedProfile, 'profilingType' | 'markerConfig' | 'selectedColumns'>

function locatorOf({ locator }: TableMessage): DatasetLocator {
  const parsed = datasetLocator.safeParse(locator)
  if (parsed.success) return parsed.data
  throw new AssayError('unprocessable', 'This asset cannot be opened; crawl its assembly again.')
}

/**
 * The profile of a request, checked against the local read model of the table. Throws `invalid` naming the field,
 * `unprocessable`.
 */
export function wantedOf(
  { profilingType, markerConfig, selectedColumns = [] }: BodyOf<typeof profileOperations.startProfile>['data'],
  table: TableMessage,
  settings: ProfileSettings,
): WantedProfile {
  const locator = locatorOf(table)
  for (const [index, name] of selectedColumns.entries())
    if (!table.columns.some((column) => column.name === name))
      throw new AssayError('invalid', `data.selectedColumns[${index}]: is not a column of this asset.`)
  const columns = [...new Set(selectedColumns)]
  switch (profilingType) {
    case 'FULL':
      return { profilingType, markerConfig: null, selectedColumns: columns }
    case 'SELECTIVE':
    case 'INCREMENTAL': {
      const marker = markerConfig ?? (profilingType === 'INCREMENTAL' ? ownMarker(locator, settings) : undefined)
      if (marker === undefined)
        throw profilingType === 'SELECTIVE'
          ? new AssayError('invalid', 'data.markerConfig: is required for a SELECTIVE profile, to select the rows.')
          : new AssayError(
              'unprocessable',
              'data.markerConfig: is required for an INCREMENTAL profile, unless the configuration of the asset has markerConfiguration or freshnessColumnInfo.',
            )
      const wanted = { profilingType, markerConfig: marker, selectedColumns: columns }
      profileWindow(wanted, table)
      return wanted
    }
    default:
      return profilingType satisfies never
  }
}

/**
 * An automatic profile. Without a wanted type it is INCREMENTAL for files, where that reads all that has changed, and FULL
 * for other tables, of which rows without a time, and changed rows, would be missing. Throws `unprocessable` or `invalid` if
 * the table does not have what the settings name.
 */
export function automaticProfile(
  table: TableMessage,
  settings: ProfileSettings,
  wantedType: 'FULL' | 'INCREMENTAL' | null,
): WantedProfile {
  const locator = locatorOf(table)
  const profilingType = wantedType ?? (isOfFiles(locator) ? 'INCREMENTAL' : 'FULL')
  if (profilingType === 'FULL') return { profilingType, markerConfig: null, selectedColumns: [] }
  const found = wantedType === null ? usualMarker(locator, settings) : ownMarker(locator, settings)
  if (found === undefined)
    throw new AssayError(
      'unprocessable',
      'An INCREMENTAL profile needs markerConfiguration or freshnessColumnInfo in the configuration of the asset.',
    )
  const wanted = { profilingType, markerConfig: found, selectedColumns: [] }
  profileWindow(wanted, table)
  return wanted
}
