import { optional } from '@assay/contracts'
import type { Bound, Window } from '@assay/data-engine'
import { z } from 'zod'
import { isAbove, readBound } from './bounds.ts'
import { kindOfType } from './column-types.ts'
import type { PlannedColumn } from './definition.ts'
import { isReadableFormat, isTimeZone, type MarkerTime, readMarkerTime } from './marker-times.ts'

/** What a marker is about. */
export interface MarkedAsset {
  columns: readonly PlannedColumn[]
  /** Whether it is one or more files, which have times of change. */
  isFiles: boolean
}

/** A marker's part of the data, or why there is none: `invalid` for what was written, `unprocessable` for what the asset is. */
export type ReadMarker =
  | { window: Window }
  | { problem: { kind: 'invalid' | 'unprocessable'; path: string; message: string } }

/** Stops the reading of one marker. Never leaves this module. */
class MarkerProblem extends Error {
  readonly kind: 'invalid' | 'unprocessable'
  readonly path: string

  constructor(kind: 'invalid' | 'unprocessable', path: string, message: string) {
    super(message)
    this.kind = kind
    this.path = path
  }
}

const invalid = (path: string, message: string) => new MarkerProblem('invalid', path, message)
const unprocessable = (path: string, message: string) => new MarkerProblem('unprocessable', path, message)

function reading(read: () => Window): ReadMarker {
  try {
    return { window: read() }
  } catch (error) {
    if (error instanceof MarkerProblem) {
      return { problem: { kind: error.kind, path: error.path, message: error.message } }
    }
    throw error
  }
}

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

function read<T>(schema: z.ZodType<T>, marker: object): T {
  const parsed = schema.safeParse(marker)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const isAbsent = issue?.code === 'invalid_type' && issue.input === undefined
  throw invalid(issue?.path.join('.') ?? '', isAbsent ? 'is needed' : (issue?.message ?? 'cannot be read'))
}

function columnOf(
  asset: MarkedAsset,
  name: string,
  path: string,
  kinds: readonly string[],
  what: string,
): PlannedColumn {
  const column = asset.columns.find((one) => one.name === name)
  if (column === undefined) throw invalid(path, `the asset has no column '${name}'`)
  if (kinds.includes(kindOfType(column.dataType))) return column
  throw invalid(path, `'${name}' is ${column.dataType}, not ${what}`)
}

const idColumn = (asset: MarkedAsset, name: string, path: string) => columnOf(asset, name, path, ['number'], 'a number')
const timeColumn = (asset: MarkedAsset, name: string, path: string) =>
  columnOf(asset, name, path, ['date', 'time', 'text'], 'a date or a time')

function zoneOf(zone: string | undefined): string {
  const name = zone ?? 'UTC'
  if (!isTimeZone(name)) throw invalid('timeZoneId', `'${name}' is no time zone, such as Europe/Berlin`)
  return name
}

function timeOf(value: string, path: string, marker: { format?: string | undefined; timeZoneId?: string | undefined }) {
  const { format } = marker
  if (format !== undefined && !isReadableFormat(format))
    throw invalid('format', `'${format}' cannot be read; write it with yyyy, MM, dd, HH, mm, ss and SSS`)
  const time = readMarkerTime(value, format, zoneOf(marker.timeZoneId))
  if (time !== undefined) return time
  throw invalid(
    path,
    `'${value}' is no date or time${format === undefined ? ' of ISO 8601' : ` of the form ${format}`}`,
  )
}

/** Days are compared as days where the column holds days, whatever the zone. */
function boundOf(time: MarkerTime, side: 'from' | 'to', column: PlannedColumn): Bound {
  return time.day !== null && kindOfType(column.dataType) === 'date'
    ? { kind: 'date', text: time.day }
    : { kind: 'time', text: time[side] }
}

function topicsOnly(): MarkerProblem {
  return unprocessable('type', 'TimestampBasedMarkerConfig is for topics, and this asset is none')
}

function filesOnly(asset: MarkedAsset): void {
  if (!asset.isFiles) throw unprocessable('type', 'a marker on files needs an asset of files')
}

/**
 * What an INCREMENTAL run reads by the marker stored with its policy: from `initialOffset` on (inclusive) or everything,
 * and later what lies above the `mark` that an earlier run reached. `invalid`: the definition cannot be.
 */
export function storedWindow(marker: { type: string }, asset: MarkedAsset, mark: string | null): ReadMarker {
  return reading(() => {
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
        throw topicsOnly()
      default:
        throw unprocessable(
          'type',
          `a marker of type ${marker.type} is not carried out; use IdMarkerConfig, DateTimeMarkerConfig or FileEventMarkerConfig`,
        )
    }
  })
}

/** Why a marker that a policy is to store can never work; `undefined` when it can. Types that are for others are let be. */
export function storedMarkerProblem(
  marker: { type: string },
  asset: MarkedAsset,
): { path: string; message: string } | undefined {
  const window = storedWindow(marker, asset, null)
  return 'problem' in window && window.problem.kind === 'invalid' ? window.problem : undefined
}

/** What a SELECTIVE run reads by the marker that it was started with. Bounds are inclusive. */
export function runWindow(marker: { type: string }, asset: MarkedAsset): ReadMarker {
  return reading(() => {
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
        throw topicsOnly()
      default:
        throw invalid(
          'type',
          `'${marker.type}' is not one of bound, boundDateTime, boundFileEvent, TimestampBasedMarkerConfig`,
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

/** What a mark belongs to: with another column or another beginning, a policy begins anew. */
export function markerKey(marker: { type: string; columnName?: unknown; initialOffset?: unknown }): string {
  return JSON.stringify([marker.type, marker.columnName ?? null, marker.initialOffset ?? null])
}
