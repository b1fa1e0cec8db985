import { optional } from '@assay/contracts'
import type { Window } from '@assay/data-engine'
import { z } from 'zod'
import { kindOfType } from './column-types.ts'
import { missingColumn, namedColumn } from './definition.ts'
import { invalid, type MarkedAsset, read, timeOf, unprocessable, zoneOf } from './marker-reading.ts'
import { engineFormat } from './marker-times.ts'

const text = z.string('must be text').max(10_000)

const common = {
  timeZoneId: optional(text),
  initialOffset: optional(text),
  fromDate: optional(text),
  toDate: optional(text),
}
const byDate = z.object({ columnName: optional(text), format: optional(text), ...common })
const byParts = z.object({
  yearColumnName: optional(text),
  monthColumnName: optional(text),
  dayColumnName: optional(text),
  format: optional(text),
  ...common,
})
const byName = z.object({ partition: text.min(1) })
const implying = z.object({ type: z.string(), partition: optional(z.string()) })

type PartitionType = 'DateBasedPartitionMarkerConfig' | 'DayMonthYearBasedPartitionMarkerConfig' | 'partition'
interface PartitionMarker {
  type: PartitionType
}

const types: readonly string[] = [
  'DateBasedPartitionMarkerConfig',
  'DayMonthYearBasedPartitionMarkerConfig',
  'partition',
] satisfies PartitionType[]

export function isPartitionMarker(marker: { type: string }): marker is PartitionMarker {
  return types.includes(marker.type)
}

/** The columns that hold the date of a partition, and its format. Without a format, the column is a date or a time. */
type DateParts = Extract<Window, { kind: 'dates' }>['parts']

function partOf(asset: MarkedAsset, name: string, path: string, format: string | null): DateParts[number] {
  const column = namedColumn(asset.columns, name)
  if (column === undefined) throw invalid(path, missingColumn(name, asset.columns))
  const kind = kindOfType(column.dataType)
  if (kind === 'date' || kind === 'time') return { column: name, format: null }
  if (kind === 'other') throw invalid(path, `'${name}' is ${column.dataType}, which cannot name a partition`)
  if (format === null && kind === 'number')
    throw invalid('format', `is needed: '${name}' is ${column.dataType}, and 20260102 may be written in several ways`)
  return { column: name, format: format ?? '%Y-%m-%d' }
}

function datePart(marker: PartitionMarker, asset: MarkedAsset): DateParts {
  const { columnName, format, timeZoneId } = read(byDate, marker)
  zoneOf(timeZoneId)
  if (columnName === undefined)
    throw unprocessable('columnName', 'is needed, to know the column whose values are the partitions')
  const known = format === undefined ? null : engineFormat(format)
  if (known === undefined)
    throw invalid('format', `'${format}' cannot be read; write it with yyyy, MM, dd, HH, mm, ss and SSS`)
  return [partOf(asset, columnName, 'columnName', known)]
}

/** The default name of the column for a part of a day. */
const plainColumn = (asset: Pick<MarkedAsset, 'columns'>, plain: string) =>
  asset.columns.find((column) => column.name.toLowerCase() === plain)?.name

/**
 * The columns of the year, month and day of a partition. The day, or the month and the day, may be missing. If names
 * are absent, columns named `year`, `month` and `day` are used if they exist.
 */
function dayParts(marker: PartitionMarker, asset: MarkedAsset): DateParts {
  const given = read(byParts, marker)
  zoneOf(given.timeZoneId)
  const year = given.yearColumnName ?? plainColumn(asset, 'year')
  const month = given.monthColumnName ?? plainColumn(asset, 'month')
  const day = given.dayColumnName ?? plainColumn(asset, 'day')
  if (year === undefined) throw unprocessable('yearColumnName', 'is needed: the asset has no column year')
  if (month === undefined && day !== undefined)
    throw unprocessable('monthColumnName', 'is needed for daily partitions: the asset has no column month')
  return [
    partOf(asset, year, 'yearColumnName', '%Y'),
    ...(month === undefined ? [] : [partOf(asset, month, 'monthColumnName', '%m')]),
    ...(day === undefined ? [] : [partOf(asset, day, 'dayColumnName', '%d')]),
  ]
}

function partsOf(marker: PartitionMarker, asset: MarkedAsset): DateParts {
  return marker.type === 'DateBasedPartitionMarkerConfig' ? datePart(marker, asset) : dayParts(marker, asset)
}

/** The columns of a partition marker, for `markerKey`. */
export function partitionColumns(marker: PartitionMarker): unknown {
  const { yearColumnName, monthColumnName, dayColumnName } = byParts.safeParse(marker).data ?? {}
  return [yearColumnName, monthColumnName, dayColumnName].map((name) => name ?? null)
}

/** Partitions are local dates: times are not converted between zones. */
function wall(value: string, path: 'initialOffset' | 'fromDate' | 'toDate', side: 'from' | 'to', format?: string) {
  return timeOf(value, path, { format, timeZoneId: 'UTC' })[side]
}

/**
 * The rows of an INCREMENTAL run: first the partitions from `initialOffset` on, later the partitions after the last one
 * read.
 */
export function storedPartitions(marker: PartitionMarker, asset: MarkedAsset, mark: string | null): Window {
  if (marker.type === 'partition')
    throw unprocessable('type', 'partition names one partition for one run; it cannot be stored')
  const parts = partsOf(marker, asset)
  const { initialOffset, format } = read(byDate, marker)
  const first =
    initialOffset === undefined || initialOffset === ''
      ? undefined
      : wall(initialOffset, 'initialOffset', 'from', format)
  const min = mark ?? first
  return { kind: 'dates', parts, ...(min === undefined ? {} : { min }), inclusive: mark === null, follow: true }
}

const unescaped = (part: string) => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/**
 * Columns by which a marker selects rows although no field names them: the columns in the name of a partition, or the
 * default columns of days.
 */
export function impliedColumns(marker: object, asset: Pick<MarkedAsset, 'columns'>): string[] {
  const { type, partition } = implying.safeParse(marker).data ?? {}
  if (type === 'DayMonthYearBasedPartitionMarkerConfig')
    return ['year', 'month', 'day'].flatMap((plain) => plainColumn(asset, plain) ?? [])
  return partition?.split('/').map((folder) => unescaped(folder.split('=', 1).join(''))) ?? []
}

/** One partition, by its folder names: `country=DE/year=2026`. */
function namedPartition(marker: PartitionMarker, asset: MarkedAsset): Window {
  const { partition } = read(byName, marker)
  const values = partition.split('/').map((folder) => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(folder) ?? []
    if (name === undefined || value === undefined)
      throw invalid('partition', `'${folder}' is not the name of a partition; write key=value, and / between several`)
    const column = namedColumn(asset.columns, unescaped(name))
    if (column === undefined) throw invalid('partition', `the asset has no partition column '${unescaped(name)}'`)
    return { column: column.name, value: value === '__HIVE_DEFAULT_PARTITION__' ? null : unescaped(value) }
  })
  const twice = values.find(({ column }, index) => values.findIndex((one) => one.column === column) !== index)
  if (twice !== undefined) throw invalid('partition', `names '${twice.column}' twice`)
  return { kind: 'partition', values }
}

/** The rows of a SELECTIVE run: one partition by its name, or the partitions between two dates, inclusive. */
export function runPartitions(marker: PartitionMarker, asset: MarkedAsset): Window {
  if (marker.type === 'partition') return namedPartition(marker, asset)
  const parts = partsOf(marker, asset)
  const { fromDate, toDate, format } = read(byDate, marker)
  const min = fromDate === undefined ? undefined : wall(fromDate, 'fromDate', 'from', format)
  const max = toDate === undefined ? undefined : wall(toDate, 'toDate', 'to', format)
  if (min === undefined && max === undefined) throw invalid('fromDate', 'is needed, or toDate')
  if (min !== undefined && max !== undefined && min > max) throw invalid('fromDate', 'must not be after toDate')
  const bounds = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
  return { kind: 'dates', parts, ...bounds, inclusive: true, follow: false }
}
