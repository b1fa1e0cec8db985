import { AssayError } from '@assay/service-kit/errors'
import type { LogicalType } from '../types/logical-type.ts'
import type { numberTexts } from './number-text.ts'
import { clock, zone } from './time-literals.ts'

/** A UUID as text, as a pattern. */
export const uuidPattern = '[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}'

/** The parts of a check that differ between databases. */
interface TextTypes {
  /** The database in messages. */
  name: string
  numbers: Pick<ReturnType<typeof numberTexts>, 'fitsDecimal' | 'isFiniteFloat'>
  matches(text: string, pattern: string): string
  isInteger(text: string, type: Extract<LogicalType, { kind: 'integer' }>): string
  /** `form`: the pattern of what follows the day. */
  isTimeText(text: string, form: string): string
  isTimeOfDay(text: string): string
  isJson(text: string): string
}

/** A check of whether a text is a value of a type, for databases that read ISO 8601 only. Throws `invalid`. */
export function textTypes(database: TextTypes): (text: string, type: LogicalType) => string {
  const { name, numbers, matches, isInteger, isTimeText, isTimeOfDay, isJson } = database
  return (text, type) => {
    switch (type.kind) {
      case 'integer':
        return isInteger(text, type)
      case 'decimal':
        return numbers.fitsDecimal(text, type.precision, type.scale)
      case 'float':
        return `((${numbers.isFiniteFloat(text, type.bits)}) OR lower(${text}) IN ('nan', 'inf', '+inf', '-inf', 'infinity', '+infinity', '-infinity'))`
      case 'boolean':
        return `(lower(${text}) IN ('true', 'false', 't', 'f', 'yes', 'no', 'y', 'n', '1', '0'))`
      case 'date':
        return isTimeText(text, '')
      case 'time':
        return isTimeOfDay(text)
      case 'timestamp':
        return isTimeText(text, `([ T]${clock}( ?Z)?)?`)
      case 'timestamptz':
        return isTimeText(text, `([ T]${clock}${zone})?`)
      case 'uuid':
        return matches(text, `\\A(?:${uuidPattern})\\z`)
      case 'json':
        return isJson(text)
      default:
        throw new AssayError('invalid', `Whether text is ${type.kind} cannot be checked in ${name}.`)
    }
  }
}

interface Limits {
  min: bigint
  max: bigint
}

/**
 * Whether a value of a numeric type is a whole number within limits. Exact also for a double beyond 2^53. `isBetween`: for
 * exact numbers.
 */
export const wholeNumbers =
  (isBetween: (value: string, limits: Limits) => string) =>
  (value: string, from: LogicalType, limits: Limits): string => {
    const { min, max } = limits
    const within =
      from.kind === 'float' ? `${value} >= ${min}e0 AND ${value} < ${max + 1n}e0` : isBetween(value, limits)
    return `(${value} = floor(${value}) AND ${within})`
  }
