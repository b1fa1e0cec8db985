import { AssayError } from '@assay/service-kit/errors'
import { checkedId } from './checked-query.ts'
import type { DocumentId, DocumentPut, Field, FieldValue, Source } from './port.ts'

/** A put that was checked and encoded for a store. */
export interface EncodedPut {
  collection: string
  tenant: string
  id: DocumentId
  source: Source
  /** The document as JSON, always the same text for the same document. `null` for a removal. */
  text: string | null
  /** The values of the declared fields, in the order of the declaration. All `null` for a removal. */
  values: readonly FieldValue[]
}

function internal(put: DocumentPut, problem: string, cause?: unknown): AssayError {
  return new AssayError('internal', `A document of ${put.collection.name} does not fit its collection: ${problem}.`, {
    cause,
    details: { collection: put.collection.name },
  })
}

function fieldValue(put: DocumentPut, name: string, field: Field<unknown>, document: unknown): FieldValue {
  const value = field.of(document)
  if (value === null) {
    if (field.required === true) throw internal(put, `field ${name} must not be null`)
    return null
  }
  switch (field.type) {
    case 'text':
      if (typeof value === 'string') return value.toWellFormed()
      break
    case 'integer':
      if (Number.isSafeInteger(value)) return value
      break
    case 'number':
      if (typeof value === 'number' && Number.isFinite(value)) return value
      break
    case 'boolean':
      if (typeof value === 'boolean') return value
      break
    default:
      return field.type satisfies never
  }
  throw internal(put, `field ${name} must be of type ${field.type} or null`)
}

/**
 * Checks the document with its collection's schema and extracts the declared fields. If it does not match, which is a
 * bug in a projection, throws `internal` with the collection and the path of the first issue.
 */
export function encodedPut(put: DocumentPut): EncodedPut {
  const { collection, tenant, source } = put
  if (!Number.isSafeInteger(source.revision)) throw internal(put, 'its revision must be a whole number')
  const fields = Object.entries(collection.fields)
  const head = { collection: collection.name, tenant, id: checkedId(collection, put.id), source }
  if (put.document === null) return { ...head, text: null, values: fields.map(() => null) }
  const parsed = collection.schema.safeParse(put.document)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw internal(put, `at ${issue?.path.join('.') || 'its root'}, ${issue?.message ?? 'it is wrong'}`, parsed.error)
  }
  const text = JSON.stringify(parsed.data)
  if (text === undefined) throw internal(put, 'it cannot be written as JSON')
  return { ...head, text, values: fields.map(([name, field]) => fieldValue(put, name, field, parsed.data)) }
}
