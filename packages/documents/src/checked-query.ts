import { AssayError } from '@assay/service-kit/errors'
import type { CollectionShape, Condition, DocumentId, FieldType, FieldValue, Query } from './port.ts'

/** Bounds of a query, so that no request blocks a store for long. */
const maxSize = 1000
const maxConditions = 100
const maxValues = 10_000

function invalid(message: string): AssayError {
  return new AssayError('invalid', message)
}

function typeOf(collection: CollectionShape, field: string): FieldType {
  if (field === 'id') return collection.idType
  const declared = Object.hasOwn(collection.fields, field) ? collection.fields[field] : undefined
  if (declared === undefined) throw invalid(`${collection.name} cannot be filtered or sorted by "${field}".`)
  return declared.type
}

function fits(type: FieldType, value: FieldValue): boolean {
  switch (type) {
    case 'text':
      return typeof value === 'string'
    case 'integer':
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    case 'boolean':
      return typeof value === 'boolean'
    default:
      return type satisfies never
  }
}

function checkValue(type: FieldType, field: string, value: FieldValue): void {
  if (value !== null && !fits(type, value)) throw invalid(`The filter value of "${field}" must be of type ${type}.`)
}

function checkBound(type: FieldType, field: string, value: string | number | undefined): void {
  if (value === undefined) return
  if (type === 'boolean') throw invalid(`"${field}" is a boolean, so it cannot be filtered by a range.`)
  checkValue(type, field, value)
}

function checkText(type: FieldType, field: string, value: string): void {
  if (type !== 'text') throw invalid(`"${field}" is not text, so it cannot be filtered with prefix or contains.`)
  checkValue(type, field, value)
}

function checkCondition(collection: CollectionShape, condition: Condition): void {
  const { field } = condition
  const type = typeOf(collection, field)
  if ('is' in condition) checkValue(type, field, condition.is)
  else if ('not' in condition) checkValue(type, field, condition.not)
  else if ('in' in condition) {
    if (condition.in.length > maxValues) throw invalid(`A list of values can have at most ${maxValues}.`)
    for (const value of condition.in) checkValue(type, field, value)
  } else if ('prefix' in condition) checkText(type, field, condition.prefix)
  else if ('contains' in condition) checkText(type, field, condition.contains)
  else {
    checkBound(type, field, condition.from)
    checkBound(type, field, condition.to)
  }
}

/** A list of one value as an equality: for it, an index may have the requested order. */
function withoutShortList(condition: Condition): Condition {
  const [first, ...others] = 'in' in condition ? condition.in : []
  return first === undefined || others.length > 0 ? condition : { field: condition.field, is: first }
}

/**
 * Checks that conditions name declared fields, and have values of the field's type. Throws `invalid` otherwise, because
 * stores compare '5' with 5 differently.
 */
export function checkedWhere(collection: CollectionShape, where: readonly Condition[] = []): readonly Condition[] {
  if (where.length > maxConditions) throw invalid(`A query can have at most ${maxConditions} conditions.`)
  for (const condition of where) checkCondition(collection, condition)
  return where.map(withoutShortList)
}

export interface CheckedQuery {
  where: readonly Condition[]
  /** The sort fields, followed by `id`, so that the order is total. No field appears twice. */
  sort: readonly { field: string; direction: 'asc' | 'desc' }[]
  page: number
  size: number
  maxBytes: number | undefined
}

/** The query with its defaults filled in. Throws `invalid` for unknown fields, wrong types and sizes. */
export function checkedQuery(collection: CollectionShape, query: Query): CheckedQuery {
  const { page = 0, size } = query
  if (!Number.isSafeInteger(size) || size < 0 || size > maxSize)
    throw invalid(`The size of a page must be a whole number from 0 to ${maxSize}.`)
  if (!Number.isSafeInteger(page) || page < 0 || !Number.isSafeInteger(page * size))
    throw invalid('The number of a page must be a whole number, 0 for the first page.')
  const sort: { field: string; direction: 'asc' | 'desc' }[] = []
  for (const key of query.sort ?? []) {
    typeOf(collection, key.field)
    if (key.direction !== 'asc' && key.direction !== 'desc') throw invalid('A sort direction is asc or desc.')
    if (!sort.some((earlier) => earlier.field === key.field || earlier.field === 'id')) sort.push(key)
  }
  if (!sort.some((key) => key.field === 'id')) sort.push({ field: 'id', direction: sort.at(-1)?.direction ?? 'asc' })
  return { where: checkedWhere(collection, query.where), sort, page, size, maxBytes: query.maxBytes }
}

/** Checks that the id has the collection's type: a safe integer, or text that is not empty and contains no NUL. */
export function checkedId(collection: CollectionShape, id: DocumentId): DocumentId {
  const fine =
    collection.idType === 'integer'
      ? Number.isSafeInteger(id)
      : typeof id === 'string' && id !== '' && !id.includes('\0') && id.isWellFormed()
  if (!fine) throw invalid(`The id of a document of ${collection.name} must be of type ${collection.idType}.`)
  return id
}

/** Maximum length of a searched text. Longer texts are truncated, because no name is that long. */
const longestText = 1000

/** The text of a search, without characters that no name can contain. */
export function searchText(text: string | undefined): string {
  return (text ?? '').replaceAll('\0', '').slice(0, longestText).toWellFormed()
}

/** Checks the fields whose values are to be counted. Throws `invalid` for a field that is not declared. */
export function checkedFacets(collection: CollectionShape, facets: readonly string[] = []): readonly string[] {
  for (const field of facets) typeOf(collection, field)
  return [...new Set(facets)]
}
