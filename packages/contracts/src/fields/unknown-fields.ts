import type { z } from 'zod'
import type { FieldRules } from './field-rules.ts'
import { type FieldTree, namesIn, treeOf } from './field-tree.ts'
import { nearNames } from './nearest-name.ts'

/** A field of a request that is not read. */
export interface UnknownField {
  /** `items[0].isWaring`. */
  path: string
  name: string
  /** The path of the object that contains the field. Empty for the body or query itself. */
  within: string
  /** The most likely name, relative to `within`, as in `csv.encoding`. */
  meant?: string
  /** The names that this object may have. */
  known: ReadonlyMap<string, unknown>
  /** Why a known field is not read. */
  why?: string
}

export interface UnknownFields {
  /** Fields that are refused, because they are misspelled, or unknown in a strict object. At most ten. */
  refused: UnknownField[]
  /** Fields that are ignored. At most twenty. */
  ignored: UnknownField[]
}

const maxRefused = 10
const maxIgnored = 20
/** Maximum unknown names compared per request, so that an attacker cannot cause many comparisons. */
const maxCompared = 200

type Fields = ReadonlyMap<string, FieldTree>
type Json = Readonly<Record<string, unknown>>
type Synonyms = NonNullable<FieldRules['synonyms']>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const merged = new WeakMap<FieldTree, Fields>()

/** The names of all options of a choice. Does not descend, because the fields below depend on the chosen option. */
function mergedFields(tree: FieldTree & { kind: 'choice' }): Fields {
  const known = merged.get(tree)
  if (known !== undefined) return known
  const fields = new Map<string, FieldTree>()
  for (const option of tree.options)
    for (const name of fieldsOf(option)?.keys() ?? []) fields.set(name, { rules: [], kind: 'value' })
  merged.set(tree, fields)
  return fields
}

function fieldsOf(tree: FieldTree): Fields | undefined {
  if (tree.kind === 'object') return tree.fields
  return tree.kind === 'choice' ? mergedFields(tree) : undefined
}

/** The current position with the rules that apply at any depth below it. */
interface Position {
  path: string
  isStrict: boolean
  sentBack: ReadonlySet<string>
}
interface HereOnly {
  also: readonly string[]
  synonyms: Synonyms
  takesAny: boolean
}

const nothingHere: HereOnly = { also: [], synonyms: {}, takesAny: false }
const root: Omit<Position, 'path'> = { isStrict: false, sentBack: new Set() }

/** Separates rules that apply at any depth from rules that apply to this object only. */
function applied(rules: readonly FieldRules[], at: Position): [Position, HereOnly] {
  let { isStrict, sentBack } = at
  const here = { also: [] as string[], synonyms: {} as Synonyms, takesAny: false }
  for (const rule of rules) {
    if (rule.strict) isStrict = true
    if (rule.sentBack) sentBack = new Set([...sentBack, ...namesIn(treeOf(rule.sentBack))])
    if (rule.also) here.also.push(...rule.also)
    if (rule.synonyms) here.synonyms = rule.synonyms
    if (rule.names) here.takesAny = true
  }
  return [{ ...at, isStrict, sentBack }, here]
}

class Search {
  readonly found: UnknownFields = { refused: [], ignored: [] }
  readonly #near = new Map<Fields, Map<string, readonly string[]>>()
  #compared = 0

  visit(tree: FieldTree, value: unknown, at: Position): void {
    if (tree.kind === 'value' || typeof value !== 'object' || value === null) return
    const [position, here] = tree.rules.length === 0 ? [at, nothingHere] : applied(tree.rules, at)
    if (Array.isArray(value)) this.#visitList(tree, value, position)
    else if (isObject(value)) this.#visitObject(tree, value, position, here)
  }

  #visitList(tree: FieldTree, value: readonly unknown[], position: Position): void {
    const list = tree.kind === 'choice' ? tree.options.find(({ kind }) => kind === 'list') : tree
    if (list?.kind !== 'list') return
    value.forEach((element, index) => {
      this.visit(list.element, element, { ...position, path: `${position.path}[${index}]` })
    })
  }

  #visitObject(tree: FieldTree, value: Json, position: Position, here: HereOnly): void {
    if (tree.kind === 'object') this.#check(tree.fields, value, position, here)
    else if (tree.kind === 'choice') this.#choose(tree, value, position, here)
    else if (tree.kind === 'map' && tree.value.kind !== 'value')
      for (const [name, each] of Object.entries(value))
        this.visit(tree.value, each, { ...position, path: below(position.path, name) })
  }

  #choose(tree: FieldTree & { kind: 'choice' }, value: Json, position: Position, here: HereOnly): void {
    const { discriminator, options } = tree
    if (options.some(({ kind }) => kind === 'map')) return
    if (discriminator === undefined) {
      this.#check(mergedFields(tree), value, position, here)
      return
    }
    const sent = value[discriminator]
    const synonym = typeof sent === 'string' && Object.hasOwn(here.synonyms, sent) ? here.synonyms[sent] : undefined
    const kind = synonym?.kind ?? sent
    const chosen = options.find((option) => {
      const field = fieldsOf(option)?.get(discriminator)
      return field?.kind === 'value' && field.values?.has(kind)
    })
    const also = [...here.also, ...(synonym?.also ?? [])]
    if (chosen !== undefined) this.visit({ ...chosen, rules: [{ also }, ...chosen.rules] }, value, position)
    // The fields of an unknown kind cannot be checked. The schema refuses the kind itself.
    else if (sent == null) this.#check(mergedFields(tree), value, position, here)
    else if (!here.takesAny) this.#check(mergedFields(tree), value, { ...position, isStrict: false }, here)
  }

  #check(fields: Fields, value: Json, position: Position, { also }: HereOnly): void {
    const { path } = position
    for (const name of Object.keys(value)) {
      const field = fields.get(name)
      if (field === undefined) {
        if (!also.includes(name))
          this.#note(also.length === 0 ? fields : withNames(fields, also), name, value, position)
        continue
      }
      const each = value[name]
      if (field.rules.length > 0) {
        const why = field.rules.map(({ unread }) => unread?.(each)).find((reason) => reason !== undefined)
        if (why !== undefined) this.#ignore({ path: below(path, name), name, within: path, known: fields, why })
      }
      if (field.kind !== 'value') this.visit(field, each, { ...position, path: below(path, name) })
    }
  }

  #note(fields: Fields, name: string, value: Json, { path, isStrict, sentBack }: Position): void {
    const near = sentBack.has(name) && !isStrict ? [] : this.#nearOf(fields, name)
    const meant = near.find((each) => value[each] == null) ?? (isStrict ? deeper(fields, name) : undefined)
    // Null counts as absent: clients send it for fields that they do not set.
    const isRefused = meant !== undefined || (isStrict && value[name] !== null)
    if (this.found[isRefused ? 'refused' : 'ignored'].length >= (isRefused ? maxRefused : maxIgnored)) return
    const unknown = { path: below(path, name), name, within: path, known: fields }
    if (!isRefused) this.#ignore(unknown)
    else this.found.refused.push(meant === undefined ? unknown : { ...unknown, meant })
  }

  #ignore(field: UnknownField): void {
    if (this.found.ignored.length < maxIgnored) this.found.ignored.push(field)
  }

  #nearOf(fields: Fields, name: string): readonly string[] {
    const ofFields = this.#near.get(fields) ?? new Map<string, readonly string[]>()
    this.#near.set(fields, ofFields)
    const known = ofFields.get(name)
    if (known !== undefined) return known
    if (this.#compared >= maxCompared) return []
    this.#compared += 1
    // A refusal needs more evidence than a suggestion: `form` may well be meant.
    const near = nearNames(name, fields.keys(), { exchange: 2 })
    ofFields.set(name, near)
    return near
  }
}

const extended = new WeakMap<Fields, Fields>()

/** The fields plus additional names. */
function withNames(fields: Fields, also: readonly string[]): Fields {
  const known = extended.get(fields)
  if (known !== undefined) return known
  const all = new Map(fields)
  for (const name of also) all.set(name, { rules: [], kind: 'value' })
  extended.set(fields, all)
  return all
}

/** Finds the name one level below, and returns its path: `csv.encoding`. */
function deeper(fields: Fields, name: string): string | undefined {
  for (const [parent, tree] of fields) if (fieldsOf(tree)?.has(name)) return `${parent}.${name}`
  return undefined
}

const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

/**
 * The fields of a body or query that its schema does not know. A field is refused if its name is a misspelling of a
 * known name that is absent, or if its object is strict; all others are ignored. Does not check values. Pure. Takes
 * linear time.
 */
export function unknownFields(schema: z.ZodType, value: unknown, path = ''): UnknownFields {
  const search = new Search()
  search.visit(treeOf(schema), value, { ...root, path })
  return search.found
}

/** Why a field is refused: `items[0]: "isWaring" is not known here; did you mean "isWarning"?`. Pure. */
export function unknownFieldSentence({ path, name, within, meant, known, why }: UnknownField): string {
  if (why !== undefined) return `${path}: ${why}.`
  const shown = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)
  const prefix = within === '' ? '' : `${within}: `
  if (meant !== undefined) return `${prefix}${shown} is not known here; did you mean ${JSON.stringify(meant)}?`
  const names = [...known.keys()]
  if (names.length === 0) return `${prefix}${shown} is not known here; no fields are allowed.`
  return `${prefix}${shown} is not known here. Known fields: ${names.slice(0, 20).join(', ')}${names.length > 20 ? ` and ${names.length - 20} more` : ''}.`
}
