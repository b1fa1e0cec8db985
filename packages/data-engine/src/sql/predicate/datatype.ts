import { AssayError } from '@assay/service-kit/errors'
import { columnType, typeName } from '../column-type.ts'
import type { Column } from './column.ts'
import { fitsText } from './precision-scale.ts'

const day = '[0-9]{1,6}(-[0-9]{1,2}-|/[0-9]{1,2}/)[0-9]{1,2}( \\(BC\\))?'
/** Microseconds: digits beyond the sixth would be lost unless they are zeros. */
const clock = '[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]{1,6}0*)?)?'

const moments: ReadonlySet<string> = new Set(['date', 'timestamp', 'timestamptz'])

/** How a text of the type is written: no blanks around it, nothing that the cast would round or drop. */
function textShape(name: string): string | null {
  const { family } = columnType(name)
  switch (family) {
    case 'integer':
      return '[+-]?[0-9]+'
    case 'float':
      return '[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?|(?i:[+-]?(inf|infinity)|nan)'
    case 'boolean':
      return '(?i:true|false|t|f|yes|no|y|n|1|0)'
    case 'date':
      return day
    case 'time':
      return clock
    case 'timestamp':
      return `${day}([ T]${clock}( ?Z)?)?`
    case 'timestamptz':
      return `${day}([ T]${clock}( ?Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?`
    default:
      return name === 'UUID' ? '[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}' : null
  }
}

function textCasts(text: string, name: string): string {
  if (name === 'VARCHAR') return 'true'
  if (name === 'JSON') return `json_valid(${text})`
  const type = columnType(name)
  if (type.family === 'decimal') return fitsText(text, type.precision, type.scale)
  const shape = textShape(name)
  if (shape === null) throw new AssayError('invalid', `Whether text is ${name} cannot be checked.`)
  const finite =
    type.family === 'float' ? ` AND (NOT isinf(TRY_CAST(${text} AS ${name})) OR contains(lower(${text}), 'inf'))` : ''
  const shaped = `(regexp_full_match(${text}, '${shape}') AND TRY_CAST(${text} AS ${name}) IS NOT NULL${finite})`
  // What the engine itself would write for the value has lost nothing; comparing with that is quicker than matching the shape.
  const canonical = `coalesce(CAST(TRY_CAST(${text} AS ${name}) AS VARCHAR) = ${text}, false)`
  if (type.family === 'float') return shaped
  // The engine writes a word for what lies beyond all days, and that is no date.
  const endless = moments.has(type.family) ? ` AND NOT contains(${text}, 'infinity')` : ''
  return `((${canonical}${endless}) OR ${shaped})`
}

/** True where the column's value cannot become `dataType` without loss. Other than text has to come back equal from the cast. */
export function notOfType(column: Column, dataType: string): string {
  const name = typeName(dataType)
  if (name === null) throw new AssayError('invalid', `"${dataType}" is not a type that can be checked.`)
  if (name === 'VARCHAR' || name === column.dataType) return 'false'
  if (column.type.family === 'text') return `(${column.sql} IS NOT NULL AND NOT ${textCasts(column.text, name)})`
  const there = `TRY_CAST(${column.sql} AS ${name})`
  return `(${column.sql} IS NOT NULL AND coalesce(TRY_CAST(${there} AS ${column.dataType}) IS DISTINCT FROM ${column.sql}, true))`
}
