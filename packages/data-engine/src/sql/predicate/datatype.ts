import { AssayError } from '@assay/service-kit/errors'
import { checkableType } from '../../types/checkable-type.ts'
import { formatType } from '../../types/format-type.ts'
import { isMoment, type LogicalType } from '../../types/logical-type.ts'
import type { Column } from './column.ts'
import { fitsText } from './precision-scale.ts'

const day = '[0-9]{1,6}(-[0-9]{1,2}-|/[0-9]{1,2}/)[0-9]{1,2}( \\(BC\\))?'
/** Microseconds: digits beyond the sixth would be lost unless they are zeros. */
const clock = '[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]{1,6}0*)?)?'

/** How a text of the type is written: no blanks around it, nothing that the cast would round or drop. */
function textShape({ kind }: LogicalType): string | null {
  switch (kind) {
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
    case 'uuid':
      return '[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}'
    default:
      return null
  }
}

function textCasts(text: string, type: LogicalType): string {
  if (type.kind === 'json') return `json_valid(${text})`
  if (type.kind === 'decimal') return fitsText(text, type.precision, type.scale)
  const [name, shape] = [formatType(type), textShape(type)]
  if (shape === null) throw new AssayError('invalid', `Whether text is ${name} cannot be checked.`)
  const finite =
    type.kind === 'float' ? ` AND (NOT isinf(TRY_CAST(${text} AS ${name})) OR contains(lower(${text}), 'inf'))` : ''
  const shaped = `(regexp_full_match(${text}, '${shape}') AND TRY_CAST(${text} AS ${name}) IS NOT NULL${finite})`
  // What the engine itself would write for the value has lost nothing; comparing with that is quicker than matching the shape.
  const canonical = `coalesce(CAST(TRY_CAST(${text} AS ${name}) AS VARCHAR) = ${text}, false)`
  if (type.kind === 'float') return shaped
  // The engine writes a word for what lies beyond all days, and that is no date.
  const endless = isMoment(type) ? ` AND NOT contains(${text}, 'infinity')` : ''
  return `((${canonical}${endless}) OR ${shaped})`
}

/** True where the column's value cannot become `dataType` without loss. Other than text has to come back equal from the cast. */
export function notOfType(column: Column, dataType: string): string {
  const type = checkableType(dataType)
  if (type === undefined) throw new AssayError('invalid', `"${dataType}" is not a type that can be checked.`)
  const name = formatType(type)
  if (type.kind === 'text' || name === column.dataType) return 'false'
  if (column.type.kind === 'text') return `(${column.sql} IS NOT NULL AND NOT ${textCasts(column.text, type)})`
  const there = `TRY_CAST(${column.sql} AS ${name})`
  return `(${column.sql} IS NOT NULL AND coalesce(TRY_CAST(${there} AS ${column.dataType}) IS DISTINCT FROM ${column.sql}, true))`
}
