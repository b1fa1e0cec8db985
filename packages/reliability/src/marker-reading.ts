import { pathText } from '@assay/contracts'
import { isTimeZone } from '@assay/contracts/values'
import type { Window } from '@assay/data-engine'
import type { z } from 'zod'
import { kindOfType } from './column-types.ts'
import { missingColumn, namedColumn, type PlannedColumn } from './definition.ts'
import { isReadableFormat, readMarkerTime } from './marker-times.ts'

/** The asset that a marker selects rows of. */
export interface MarkedAsset {
  columns: readonly PlannedColumn[]
  /** Whether it consists of files, which have modification times. */
  isFiles: boolean
  /** Whether it is a topic, whose messages have times. */
  isTopic?: boolean
}

/**
 * The part of the data that a marker selects, or why it selects none. `invalid`: the marker is at fault.
 * `unprocessable`: the asset does not support it.
 */
export type ReadMarker =
  | { window: Window }
  | { problem: { kind: 'invalid' | 'unprocessable'; path: string; message: string } }

/** Stops the reading of one marker. Never leaves this package. */
export class MarkerProblem extends Error {
  readonly kind: 'invalid' | 'unprocessable'
  readonly path: string

  constructor(kind: 'invalid' | 'unprocessable', path: string, message: string) {
    super(message)
    this.kind = kind
    this.path = path
  }
}

export const invalid = (path: string, message: string) => new MarkerProblem('invalid', path, message)
export const unprocessable = (path: string, message: string) => new MarkerProblem('unprocessable', path, message)

export function reading(read: () => Window): ReadMarker {
  try {
    return { window: read() }
  } catch (error) {
    if (error instanceof MarkerProblem) {
      return { problem: { kind: error.kind, path: error.path, message: error.message } }
    }
    throw error
  }
}

export function read<T>(schema: z.ZodType<T>, marker: object): T {
  const parsed = schema.safeParse(marker)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw invalid(pathText(issue?.path ?? []), issue?.message ?? 'cannot be read')
}

export function columnOf(
  asset: MarkedAsset,
  name: string,
  path: string,
  kinds: readonly string[],
  what: string,
): PlannedColumn {
  const column = namedColumn(asset.columns, name)
  if (column === undefined) throw invalid(path, missingColumn(name, asset.columns))
  if (kinds.includes(kindOfType(column.dataType))) return column
  throw invalid(path, `'${name}' is ${column.dataType}, not ${what}`)
}

export const idColumn = (asset: MarkedAsset, name: string, path: string) =>
  columnOf(asset, name, path, ['number'], 'a number')
export const timeColumn = (asset: MarkedAsset, name: string, path: string) =>
  columnOf(asset, name, path, ['date', 'time', 'text'], 'a date or a time')

export function zoneOf(zone: string | undefined): string {
  const name = zone ?? 'UTC'
  if (!isTimeZone(name)) throw invalid('timeZoneId', `'${name}' is not a time zone such as Europe/Berlin`)
  return name
}

export function timeOf(
  value: string,
  path: string,
  marker: { format?: string | undefined; timeZoneId?: string | undefined },
) {
  const { format } = marker
  if (format !== undefined && !isReadableFormat(format))
    throw invalid('format', `'${format}' cannot be read; write it with yyyy, MM, dd, HH, mm, ss and SSS`)
  const time = readMarkerTime(value, format, zoneOf(marker.timeZoneId))
  if (time !== undefined) return time
  throw invalid(
    path,
    `'${value}' is not a date or time${format === undefined ? ' of ISO 8601' : ` of the form ${format}`}`,
  )
}
