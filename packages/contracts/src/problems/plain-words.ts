import { z } from 'zod'
import { didYouMean } from '../fields/nearest-name.ts'

type Issue = z.core.$ZodIssue
type RawIssue = z.core.$ZodRawIssue

const maxListed = 60

/** The kind of a JSON value, for people. */
function whatItIs(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  switch (typeof value) {
    case 'string':
      return 'text'
    case 'number':
      return Number.isFinite(value) ? 'a number' : 'not a finite number'
    case 'boolean':
      return 'true or false'
    default:
      return 'an object'
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  undefined: 'absent',
  never: 'absent',
}
const kindOf = (expected: string): string => kinds[expected] ?? 'another value'

function wrongType(expected: string, value: unknown): string {
  const kind = kindOf(expected)
  if (value === undefined) return expected === 'nonoptional' ? 'is needed' : `is needed; send ${kind}`
  if (expected === 'int' && typeof value === 'number') return 'must be a whole number'
  const actual = whatItIs(value)
  // Avoids "must be a number, not a number" if the value has the right kind but another fault.
  return actual === kind ? `must be ${kind} of another form` : `must be ${kind}, not ${actual}`
}

function oneOf(values: readonly unknown[], value: unknown): string {
  const names = values.map(String)
  const listed = names.slice(0, maxListed).join(', ') + (names.length > maxListed ? ', ...' : '')
  const allowed = names.length === 1 ? listed : `one of ${listed}`
  if (value === undefined) return `is needed: ${allowed}`
  return `must be ${allowed}${typeof value === 'string' ? didYouMean(value, names) : ''}`
}

const units: Readonly<Record<string, [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  set: ['entry', 'entries'],
  object: ['field', 'fields'],
  record: ['field', 'fields'],
}

function bounded(origin: string, limit: number | bigint, side: 'at least' | 'at most', inclusive: boolean): string {
  const unit = units[origin]
  if (unit === undefined) return `must be ${inclusive ? side : side === 'at least' ? 'above' : 'below'} ${limit}`
  if (side === 'at least' && Number(limit) === 1) return 'must not be empty'
  const [one, many] = unit
  return `must ${origin === 'string' ? 'be' : 'have'} ${side} ${limit} ${Number(limit) === 1 ? one : many}${origin === 'string' ? ' long' : ''}`
}

const forms: Readonly<Record<string, string>> = {
  datetime: 'must be an ISO 8601 time, such as 2026-01-31T08:00:00Z',
  date: 'must be a date, such as 2026-01-31',
  time: 'must be a time of day, such as 08:00:00',
  duration: 'must be an ISO 8601 duration, such as PT36H',
  email: 'must be an e-mail address',
  url: 'must be a web address, such as https://example.org/hook',
  uuid: 'must be a UUID',
  base64: 'must be base64',
}

/** The kinds of value that the options of a choice accept, or the message of the option that fits best. */
function noneOf(branches: readonly (readonly Issue[])[], value: unknown): string {
  const atTop = branches.flatMap((issues) =>
    issues.flatMap((issue) =>
      issue.code === 'invalid_type' && issue.path.length === 0 ? [kindOf(issue.expected)] : [],
    ),
  )
  if (value === undefined) return `is needed${atTop.length === 0 ? '' : `; send ${[...new Set(atTop)].join(' or ')}`}`
  const furthest = branches.find(
    (issues) => !issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  )
  const [first] = furthest ?? []
  if (first !== undefined) return first.path.length === 0 ? first.message : `${pathText(first.path)} ${first.message}`
  if (atTop.length === 0) return 'matches none of the allowed forms'
  return `must be ${[...new Set(atTop)].join(' or ')}, not ${whatItIs(value)}`
}

/** The fault of a value, to append to its path. */
function sentenceOf(issue: RawIssue): string {
  const { input } = issue
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue.expected, input)
    case 'invalid_value':
      return oneOf(issue.values, input)
    case 'too_big':
      return bounded(issue.origin, issue.maximum, 'at most', issue.inclusive !== false)
    case 'too_small':
      return bounded(issue.origin, issue.minimum, 'at least', issue.inclusive !== false)
    case 'invalid_format':
      return forms[issue.format] ?? 'has a form that is not allowed here'
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'unrecognized_keys':
      return `has unknown keys: ${issue.keys.slice(0, 20).join(', ')}`
    case 'invalid_union':
      if (issue.discriminator !== undefined && 'options' in issue && Array.isArray(issue.options))
        return oneOf(issue.options, valueAt(input, issue.discriminator))
      return noneOf(issue.errors, input)
    case 'invalid_key':
      return `has a name that is not allowed: ${issue.issues[0]?.message ?? 'it has another form'}`
    case 'invalid_element':
      return `has an entry that is not allowed: ${issue.issues[0]?.message ?? 'it has another form'}`
    case 'custom':
      return 'is not allowed'
    default:
      return 'is not allowed'
  }
}

function valueAt(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** `items[0].value.min`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '')
}

/** Messages for schemas without messages of their own, so that people never see the validator's sentences. */
z.config({ localeError: (issue) => sentenceOf(issue) })
