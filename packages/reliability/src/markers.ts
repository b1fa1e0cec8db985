import { optional } from '@assay/contracts'
import type { Bound, Window } from '@assay/data-engine'
import { z } from 'zod'
import { isAbove, readBound } from './bounds.ts'
import { kindOfType } from './column-types.ts'
import type { PlannedColumn } from './definition.ts'
import {
  idColumn,
  invalid,
  type MarkedAsset,
  type MarkerProblem,
  type ReadMarker,
  read,
  reading,
  timeColumn,
  timeOf,
  unprocessable,
  zoneOf,
} from './marker-reading.ts'
import type { MarkerTime } from './marker-times.ts'
import { isPartitionMarker, partitionColumns, runPartitions, storedPartitions } from './partition-markers.ts'

const text = z.string('must be text').max(10_000)
const offset = z.union([z.number(), text], 'must be a number or text')
const stored = {
  IdMarkerConfig: z.object({ columnName: text.min(1), initialOffset: optional(offset) }),
  DateTimeMarkerConfig: z.object({
    columnName: text.min(1),
    format: optional(text),
    timeZoneId: optional(text),
    initialOffset: optional(text),
  }),
  FileEventMarkerConfig: z.object({ timeZoneId: optional(text), initialOffset: optional(text) }),
}
const timestamped = z.object({ format: optional(text), timeZoneId: optional(text), initialOffset: optional(text) })
const wholeNumber = z.int('must be a whole number')
const given = {
  bound: z.object({ idColumnName: text.min(1), fromId: optional(wholeNumber), toId: optional(wholeNumber) }),
  boundDateTime: z.object({
    dateColumnName: text.min(1),
    format: optional(text),
    fromDate: optional(text),
    toDate: optional(text),
    timeZoneId: optional(text),
  }),
  boundFileEvent: z.object({ fromDate: optional(text), toDate: optional(text), timeZoneId: optional(text) }),
}
const synonyms: Readonly<Record<string, string>> = {
  timestamp: 'TimestampBasedMarkerConfig',
  id: 'bound',
  datetime: 'boundDateTime',
}

/** Date columns are compared by day, regardless of the zone. */
function boundOf(time: MarkerTime, side: 'from' | 'to', column: PlannedColumn): Bound {
  return time.day !== null && kindOfType(column.dataType) === 'date'
    ? { kind: 'date', text: time.day }
    : { kind: 'time', text: time[side] }
}

function topicsOnly(): MarkerProblem {
  return unprocessable('type', 'TimestampBasedMarkerConfig is for topics, but this asset is not a topic')
}

/** Selects the messages from `initialOffset` on, or those after the position that an earlier run reached. */
function messagesFrom(asset: MarkedAsset, marker: object, mark: string | null, follow: boolean): Window {
  if (asset.isTopic !== true) throw topicsOnly()
  const config = read(timestamped, marker)
  zoneOf(config.timeZoneId)
  const { initialOffset } = config
  const from =
    initialOffset === undefined || initialOffset === ''
      ? undefined
      : timeOf(initialOffset, 'initialOffset', config).from
  if (!follow && from === undefined) throw invalid('initialOffset', 'is needed: the time of the first message to read')
  if (mark !== null) return { kind: 'offsets', after: mark, follow }
  return { kind: 'offsets', ...(from === undefined ? {} : { from }), follow }
}

function filesOnly(asset: MarkedAsset): void {
  if (!asset.isFiles) throw unprocessable('type', 'a marker on files needs an asset of files')
}

/**
 * The rows of an INCREMENTAL run by the marker stored with its policy. The first run reads rows from `initialOffset`
 * (inclusive), or all rows without one. Later runs read rows above the `mark` that an earlier run reached. `invalid`:
 * the definition is impossible.
 */
export function storedWindow(marker: { type: string }, asset: MarkedAsset, mark: string | null): ReadMarker {
  return reading(() => {
    if (isPartitionMarker(marker)) return storedPartitions(marker, asset, mark)
    switch (marker.type) {
      case 'IdMarkerConfig': {
        const { columnName, initialOffset } = read(stored.IdMarkerConfig, marker)
        const { name } = idColumn(asset, columnName, 'columnName')
        const first = initialOffset === undefined || initialOffset === '' ? undefined : readBound(initialOffset)
        if (first !== undefined && first.kind !== 'number') throw invalid('initialOffset', 'must be a number')
        const min: Bound | undefined = mark === null ? first : { kind: 'number', text: mark }
        return { kind: 'column', column: name, ...(min ? { min } : {}), inclusive: mark === null, follow: true }
      }
      case 'DateTimeMarkerConfig': {
        const config = read(stored.DateTimeMarkerConfig, marker)
        const column = timeColumn(asset, config.columnName, 'columnName')
        zoneOf(config.timeZoneId)
        const { initialOffset } = config
        const first =
          initialOffset === undefined || initialOffset === ''
            ? undefined
            : timeOf(initialOffset, 'initialOffset', config)
        const min: Bound | undefined =
          mark === null ? first && boundOf(first, 'from', column) : { kind: 'time', text: mark }
        return { kind: 'column', column: column.name, ...(min ? { min } : {}), inclusive: mark === null, follow: true }
      }
      case 'FileEventMarkerConfig': {
        filesOnly(asset)
        const config = read(stored.FileEventMarkerConfig, marker)
        const { initialOffset } = config
        const first =
          initialOffset === undefined || initialOffset === ''
            ? undefined
            : timeOf(initialOffset, 'initialOffset', config).from
        const min = mark ?? first
        return { kind: 'files', ...(min === undefined ? {} : { min }), inclusive: mark === null, follow: true }
      }
      case 'TimestampBasedMarkerConfig':
        return messagesFrom(asset, marker, mark, true)
      default:
        throw unprocessable(
          'type',
          `a marker of type ${marker.type} is not supported; use IdMarkerConfig, DateTimeMarkerConfig, FileEventMarkerConfig or a partition's`,
        )
    }
  })
}

/**
 * Why a marker cannot be stored with a policy; `undefined` if it can. Also accepts types that no run of Assay supports.
 */
export function storedMarkerProblem(
  marker: { type: string },
  asset: MarkedAsset,
): { path: string; message: string } | undefined {
  const window = storedWindow(marker, asset, null)
  return 'problem' in window && window.problem.kind === 'invalid' ? window.problem : undefined
}

/** The rows of a SELECTIVE run by the marker of its start. Bounds are inclusive. */
export function runWindow(marker: { type: string }, asset: MarkedAsset): ReadMarker {
  return reading(() => {
    if (isPartitionMarker(marker)) return runPartitions(marker, asset)
    const type = synonyms[marker.type] ?? marker.type
    switch (type) {
      case 'bound': {
        const { idColumnName, fromId, toId } = read(given.bound, marker)
        const { name } = idColumn(asset, idColumnName, 'idColumnName')
        return columnWindow(
          name,
          fromId === undefined ? undefined : { kind: 'number', text: String(fromId) },
          toId === undefined ? undefined : { kind: 'number', text: String(toId) },
          'fromId',
        )
      }
      case 'boundDateTime': {
        const config = read(given.boundDateTime, marker)
        const column = timeColumn(asset, config.dateColumnName, 'dateColumnName')
        const from = config.fromDate === undefined ? undefined : timeOf(config.fromDate, 'fromDate', config)
        const to = config.toDate === undefined ? undefined : timeOf(config.toDate, 'toDate', config)
        inOrder(from, to)
        return columnWindow(
          column.name,
          from && boundOf(from, 'from', column),
          to && boundOf(to, 'to', column),
          'fromDate',
        )
      }
      case 'boundFileEvent': {
        filesOnly(asset)
        const config = read(given.boundFileEvent, marker)
        const from = config.fromDate === undefined ? undefined : timeOf(config.fromDate, 'fromDate', config)
        const to = config.toDate === undefined ? undefined : timeOf(config.toDate, 'toDate', config)
        inOrder(from, to)
        if (from === undefined && to === undefined) throw invalid('fromDate', 'is needed, or toDate')
        const bounds = { ...(from ? { min: from.from } : {}), ...(to ? { max: to.to } : {}) }
        return { kind: 'files', ...bounds, inclusive: true, follow: false }
      }
      case 'TimestampBasedMarkerConfig':
        return messagesFrom(asset, marker, null, false)
      default:
        throw invalid(
          'type',
          `'${marker.type}' is not one of bound, boundDateTime, boundFileEvent, partition, TimestampBasedMarkerConfig`,
        )
    }
  })
}

function inOrder(from: MarkerTime | undefined, to: MarkerTime | undefined): void {
  if (from && to && Date.parse(from.from) > Date.parse(to.to)) throw invalid('fromDate', 'must not be after toDate')
}

function columnWindow(column: string, min: Bound | undefined, max: Bound | undefined, path: string): Window {
  if (min === undefined && max === undefined) throw invalid(path, `is needed, or ${path.replace('from', 'to')}`)
  if (min && max && isAbove(min, max)) throw invalid(path, `must not be after ${path.replace('from', 'to')}`)
  return { kind: 'column', column, ...(min ? { min } : {}), ...(max ? { max } : {}), inclusive: true, follow: false }
}

/**
 * Identifies the marker to which a mark belongs. If its column or initial offset changes, the policy reads all rows
 * again.
 */
export function markerKey(marker: { type: string; columnName?: unknown; initialOffset?: unknown }): string {
  const key = [marker.type, marker.columnName ?? null, marker.initialOffset ?? null]
  return JSON.stringify(isPartitionMarker(marker) ? [...key, partitionColumns(marker)] : key)
}
