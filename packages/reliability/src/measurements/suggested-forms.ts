import type { ColumnOfProfile, ProfiledColumn } from '../suggestions/profiled.ts'
import type { Candidate } from './suggested-items.ts'

/** A column with more forms than this has no habit. */
const mostForms = 3
/** Longer text may have been cut, and longer whole numbers need more than 64 bits. */
const longestForm = 32
const longestInteger = 18

const classes: Readonly<Record<string, string>> = { A: '\\p{Lu}', a: '[\\p{Ll}\\p{Lt}\\p{Lm}\\p{Lo}]', 9: '\\p{Nd}' }
const literal = (character: string) => character.replace(/[\\^$.|?*+()[\]{}]/, '\\$&')

/** The regular expression of a form: `AA-999` is two capital letters, a hyphen and three digits. Pure. */
export function regexOf(form: string): string {
  return form.replace(/(.)\1*/gsu, (run, character: string) => {
    const one = classes[character] ?? literal(character)
    const length = [...run].length
    return length === 1 ? one : `${one}{${length}}`
  })
}

/** All forms of a column; `undefined` if some forms are unknown. */
function formsOf({ column: { patterns }, values }: ColumnOfProfile): string[] | undefined {
  const counted = (patterns ?? []).reduce((all, { count }) => all + count, 0)
  return patterns !== null && counted === values ? patterns.map(({ pattern }) => pattern) : undefined
}

/** Codes are suggested to keep their forms. */
export function ofForms(now: ColumnOfProfile): Candidate[] {
  const forms = formsOf(now)
  const isCode = (form: string) => form !== '' && [...form].length <= longestForm && /[A9]/.test(form)
  if (forms === undefined || forms.length > mostForms || !forms.every(isCode)) return []
  const expressions = forms.toSorted().map(regexOf)
  const pattern = expressions.length === 1 ? expressions.join('') : `(?:${expressions.join('|')})`
  const known = new Set(forms)
  const fails = (past: ColumnOfProfile) => {
    const { patterns, masked } = past.column
    if (masked || patterns === null || (patterns.length === 0 && past.values > 0)) return null
    return formsOf(past) === undefined || patterns.some((one) => !known.has(one.pattern))
  }
  return [
    { measurementType: 'REGEX_MATCH', value: { pattern }, resultThreshold: 100, worth: 0.75, needsRe2: true, fails },
  ]
}

const castable: Readonly<Record<string, string>> = { INTEGER: 'BIGINT', DATE: 'DATE', BOOLEAN: 'BOOLEAN' }

/** A text column whose values all look like one type is suggested to stay convertible to it. */
export function ofTypes({ column }: ColumnOfProfile): Candidate[] {
  const typeOf = ({ inferredType, blank, maxLength }: ProfiledColumn) => {
    if (inferredType === null || blank !== 0) return undefined
    return inferredType === 'INTEGER' && (maxLength ?? 0) > longestInteger ? undefined : castable[inferredType]
  }
  const dataType = typeOf(column)
  if (dataType === undefined) return []
  const fails = ({ column: past }: ColumnOfProfile) => (past.masked ? null : typeOf(past) !== dataType)
  return [{ measurementType: 'DATATYPE_MATCH', value: { dataType }, resultThreshold: 100, worth: 0.87, fails }]
}
