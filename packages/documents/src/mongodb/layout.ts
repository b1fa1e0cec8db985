import { AssayError } from '@assay/service-kit/errors'
import type { CollectionShape } from '../port.ts'

/** A required index: its name and its fields in order, all ascending. */
export interface WantedIndex {
  name: string
  fields: readonly string[]
}

/** The layout of a collection in MongoDB: names and field paths. Pure. */
export interface Layout {
  name: string
  version: number
  textId: boolean
  /** Declared fields in order, and whether each is text. */
  fields: readonly { name: string; text: boolean }[]
  /** Changes with the record format. */
  signature: string
  indexes: readonly WantedIndex[]
  /** The key of the collection's entry in the catalog. */
  entryId: string
  /** Index in `fields` of the field that is searched; `undefined` for collections without search. */
  nameIndex: number | undefined
  /** The MongoDB collection of the searchable names. */
  names: string
  /** The MongoDB collection of the words of those names. */
  words: string
  /** The name of the MongoDB collection created at `epoch`. */
  physical(epoch: number): string
  isPhysical(name: string): boolean
  /**
   * The version to which a MongoDB collection of names or words belongs, in any format; `undefined` for other
   * collections.
   */
  versionOfNames(name: string): number | undefined
}

/**
 * Maximum number of declared indexes. MongoDB allows 64 in total; the remaining ones are for `_id`, the id and an
 * operator's own indexes.
 */
const maxFields = 56

function checkNames(collection: CollectionShape, fields: readonly string[]): void {
  const fine =
    /^[a-z_]+$/.test(collection.name) &&
    Number.isSafeInteger(collection.version) &&
    collection.version >= 0 &&
    fields.length + (collection.listings ?? []).length <= maxFields &&
    (collection.listings ?? []).flat().every((field) => fields.includes(field)) &&
    fields.every((field) => /^[A-Za-z][A-Za-z0-9_]*$/.test(field) && field !== 'id')
  if (!fine)
    throw new AssayError(
      'internal',
      `The collection "${collection.name}" has a malformed name, field or version, or more than ${maxFields} fields and listings.`,
    )
}

/** The path by which values are compared and sorted. */
export const valuePath = (field: string): string => `f.${field}`
/** The path of the folded text, in which `contains` searches. */
export const foldedPath = (field: string): string => `l.${field}`

/**
 * The version of the format of stored names. Raise it whenever this format changes. Searched collections then get a new
 * version, so processes of the earlier version keep working until the rebuild is committed.
 */
const nameForm = 2

/**
 * The layout of a collection. Every index begins with the tenant. The index of a field ends with the folded text, so
 * that counts and `contains` can be answered from the index without reading documents. Throws `internal` for names that
 * cannot be paths.
 */
export function layoutOf(collection: CollectionShape): Layout {
  const declared = Object.entries(collection.fields)
  checkNames(
    collection,
    declared.map(([field]) => field),
  )
  const { name, version, idType } = collection
  const textId = idType === 'text'
  const fields = declared.map(([field, { type }]) => ({ name: field, text: type === 'text' }))
  const indexed = fields.filter((_, at) => declared[at]?.[1].alone !== false)
  const head = ['tenant', 'live']
  const pattern = new RegExp(`^${name}_v${version}_[0-9]+$`)
  const ofNames = new RegExp(`^${name}_v([0-9]+)_(?:names|words)[0-9]*$`)
  return {
    name,
    version,
    textId,
    fields,
    // The leading number is the version of the record format.
    signature: JSON.stringify([
      1,
      idType,
      declared.map(([field, { type }]) => [field, type]),
      ...(collection.search === undefined ? [] : [collection.search.name, nameForm]),
    ]),
    nameIndex: collection.search && fields.findIndex((field) => field.name === collection.search?.name),
    names: `${name}_v${version}_names${nameForm}`,
    words: `${name}_v${version}_words${nameForm}`,
    indexes: [
      { name: 'assay_id', fields: [...head, valuePath('id'), ...(textId ? [foldedPath('id')] : [])] },
      ...indexed.map((field) => ({
        name: `assay_f_${field.name}`,
        fields: [...head, valuePath(field.name), valuePath('id'), ...(field.text ? [foldedPath(field.name)] : [])],
      })),
      ...(collection.listings ?? []).map((listing) => ({
        name: `assay_l_${listing.join('_')}`,
        fields: [...head, ...listing.map(valuePath), valuePath('id')],
      })),
    ],
    entryId: `${name}@${version}`,
    physical: (epoch) => `${name}_v${version}_${epoch}`,
    isPhysical: (other) => pattern.test(other),
    versionOfNames(other) {
      const found = ofNames.exec(other)?.[1]
      return found === undefined ? undefined : Number(found)
    },
  }
}
