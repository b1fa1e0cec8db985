import { AssayError } from '@assay/service-kit/errors'
import { BSON, type Document } from 'mongodb'
import type { EncodedPut } from '../encoded-put.ts'
import type { DocumentId, FieldValue } from '../port.ts'
import { foldedCase } from '../text.ts'
import type { Layout } from './layout.ts'

/**
 * A document in MongoDB. Its JSON is stored as text, so that dots and dollars in users' keys are harmless, and reads
 * return exactly what was put. A removed document keeps only its id and revision. The revision still guards against
 * older puts.
 */
export interface DocumentRecord extends Document {
  /** `recordId`: tenant and id as one text. */
  _id: string
  tenant: string
  live: boolean
  revision: number
  position: string
  /** When the record was created, in epoch milliseconds of its writer; absent in old records. */
  since?: number
  /** `id` and the declared fields. */
  f?: { readonly [field: string]: RecordValue }
  /** The folded text of the id and of the text fields. */
  l?: { readonly [field: string]: string }
  text?: string
}

export type RecordValue = string | number | boolean | Date

/**
 * Stored instead of null, because MongoDB sorts null before all other values, but the port requires it after them. A
 * date sorts after texts, numbers and booleans, and ranges of those types never match it.
 */
const nullDate = new Date(0)

const maxRecordBytes = 16 * 1024 * 1024
/**
 * A document whose text has at most this length always fits: each unit takes at most three bytes, and may appear in the
 * text, a field and a folded field.
 */
const surelyFits = maxRecordBytes / 16

/** The form in which a field's value is stored and compared. 0 and -0 are equal. */
export function written(value: FieldValue): RecordValue {
  if (value === null) return nullDate
  if (typeof value === 'string') return value.toWellFormed()
  return value === 0 ? 0 : value
}

export function recordId(tenant: string, id: DocumentId): string {
  return JSON.stringify([tenant.toWellFormed(), id])
}

function valuesOf(layout: Layout, put: EncodedPut): Pick<DocumentRecord, 'f' | 'l'> {
  const f: { [field: string]: RecordValue } = { id: written(put.id) }
  const l: { [field: string]: string } = {}
  if (typeof put.id === 'string') l.id = foldedCase(put.id)
  for (const [index, field] of layout.fields.entries()) {
    const value = put.values[index] ?? null
    f[field.name] = written(value)
    if (typeof value === 'string') l[field.name] = foldedCase(value)
  }
  return { f, l }
}

/** The record of a put. Throws `too-large` if it exceeds what MongoDB can store. */
export function recordOf(layout: Layout, put: EncodedPut): DocumentRecord {
  const { tenant, id, source, text } = put
  const head = {
    _id: recordId(tenant, id),
    tenant: tenant.toWellFormed(),
    live: text !== null,
    revision: source.revision,
    position: source.position,
  }
  if (text === null) return head
  const record = { ...head, ...valuesOf(layout, put), text }
  if (text.length > surelyFits && BSON.calculateObjectSize(record) > maxRecordBytes)
    throw new AssayError('too-large', `A document of ${layout.name} is larger than the 16 MiB that MongoDB can hold.`)
  return record
}

/** The id of a live record. */
export function idOf(record: DocumentRecord): DocumentId {
  const id = record.f?.id
  if (typeof id === 'string' || typeof id === 'number') return id
  throw new AssayError('internal', 'A read model in MongoDB has a document without an id. Rebuild the read model.')
}

/** The JSON text of a live record. */
export function textOf(record: DocumentRecord): string {
  if (typeof record.text === 'string') return record.text
  throw new AssayError('internal', 'A read model in MongoDB has a document without its text. Rebuild the read model.')
}

/** Parses without validation, because the text was checked against the collection's schema when it was put. */
export function parsed<T>(record: DocumentRecord): T {
  return JSON.parse(textOf(record))
}
