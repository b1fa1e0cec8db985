import { asSentence } from '@assay/contracts'
import { datasetLocator, isOfFiles, isOfTopic, type Window } from '@assay/data-engine'
import {
  type EachSide,
  type MarkedAsset,
  markerKey,
  type ReadMarker,
  runWindow,
  storedWindow,
} from '@assay/reliability'
import { AssayError } from '@assay/service-kit/errors'
import type { KnownRun, KnownTable } from '../versions/versions.ts'

type MarkedRun = Pick<KnownRun, 'executionType' | 'markerConfigs' | 'definition'>

/**
 * Identifies the tables, the markers and the definitions of views that the marker positions of an INCREMENTAL run
 * belong to; null for other runs.
 */
export function markKeyOf({
  executionType,
  definition,
  tables,
}: Pick<KnownRun, 'executionType' | 'definition' | 'tables'>): string | null {
  const keys = definition.sides.flatMap(({ side, marker }) => {
    const { assetId, view } = tables.find((one) => one.side === side) ?? {}
    return marker ? [[assetId, ...(view === undefined ? [] : [view]), markerKey(marker)].join(':')] : []
  })
  return executionType === 'INCREMENTAL' && keys.length > 0 ? keys.join(' ') : null
}

/** The marker by which a run reads a table: the policy's, or the start request's. */
export function markerOf(
  { executionType, markerConfigs, definition }: MarkedRun,
  table: Pick<KnownTable, 'side' | 'assetId'>,
): { type: string } | null {
  switch (executionType) {
    case 'FULL':
      return null
    case 'INCREMENTAL':
      return definition.sides.find(({ side }) => side === table.side)?.marker ?? null
    case 'SELECTIVE':
      return markerConfigs?.find((one) => isFor(one, table))?.markerConfig ?? null
    default:
      return executionType satisfies never
  }
}

/** Whether a marker of a start request is for a side. */
const isFor = (
  { assetId, assetDirection }: NonNullable<MarkedRun['markerConfigs']>[number],
  table: Pick<KnownTable, 'side' | 'assetId'>,
) => assetId === table.assetId && (assetDirection == null || assetDirection === table.side)

/** The facts that decide which markers a table supports. `dataset`: its locator. */
export function markedAsset(columns: MarkedAsset['columns'], dataset: unknown): MarkedAsset {
  const locator = datasetLocator.safeParse(dataset).data
  return {
    columns,
    isFiles: locator !== undefined && isOfFiles(locator),
    isTopic: locator !== undefined && isOfTopic(locator),
  }
}

/**
 * The part of a table that a run reads; `undefined` means all of it. `dataset`: the table's locator; `mark`: the marker
 * position of earlier runs. Throws `invalid` naming the field of the request, `unprocessable` if the asset does not
 * support the marker.
 */
export function windowOf(
  run: MarkedRun & { tables: EachSide<Pick<KnownTable, 'side' | 'assetId'>> },
  table: Pick<KnownTable, 'side' | 'assetId' | 'columns'>,
  { dataset, mark }: { dataset: unknown; mark: string | null },
): Window | undefined {
  const { executionType, markerConfigs, tables } = run
  if (executionType === 'FULL') return undefined
  const asset = markedAsset(table.columns, dataset)
  const marker = markerOf(run, table)
  switch (executionType) {
    case 'INCREMENTAL':
      if (marker === null) {
        // The side without a marker is read whole.
        if (run.definition.sides.some((side) => side.marker !== null)) return undefined
        throw new AssayError('unprocessable', 'An INCREMENTAL run needs a marker stored with the policy; it has none.')
      }
      return windowIn(storedWindow(marker, asset, mark), 'rule.backingAsset.marker', 'unprocessable')
    case 'SELECTIVE': {
      const known = tables.map(({ assetId }) => assetId)
      const other = (markerConfigs ?? []).findIndex(({ assetId }) => !known.includes(assetId))
      if (other !== -1) {
        throw new AssayError(
          'invalid',
          `markerConfigs[${other}].assetId: is not the asset of this policy (${known.join(', ')}).`,
        )
      }
      const misdirected = (markerConfigs ?? []).findIndex((one) => !tables.some((each) => isFor(one, each)))
      const { assetId, assetDirection } = markerConfigs?.[misdirected] ?? {}
      if (misdirected !== -1) {
        throw new AssayError(
          'invalid',
          `markerConfigs[${misdirected}].assetDirection: the asset ${assetId} is not the ${assetDirection} side of this policy; leave assetDirection out, or name its side.`,
        )
      }
      if (marker === null) {
        // The other side is read whole.
        if ((markerConfigs ?? []).some(({ markerConfig }) => markerConfig !== undefined)) return undefined
        throw new AssayError(
          'invalid',
          'markerConfigs: a SELECTIVE run needs a markerConfig, to know which rows to read.',
        )
      }
      const index = (markerConfigs ?? []).findIndex(({ markerConfig }) => markerConfig === marker)
      return windowIn(runWindow(marker, asset), `markerConfigs[${index}].markerConfig`, 'invalid')
    }
    default:
      return executionType satisfies never
  }
}

/** An error in a stored marker is `unprocessable`, because the request to start the run is valid. */
function windowIn(read: ReadMarker, at: string, whenInvalid: 'invalid' | 'unprocessable'): Window {
  if ('window' in read) return read.window
  const { kind, path, message } = read.problem
  const where = path === '' ? at : `${at}.${path}`
  throw new AssayError(kind === 'invalid' ? whenInvalid : kind, asSentence(`${where}: ${message}`))
}
