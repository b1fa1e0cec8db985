import type { z } from 'zod'

export type FieldValue = string | number | boolean | null
export type FieldType = 'text' | 'integer' | 'number' | 'boolean'

/** A field for filters and sorting. `of` must be pure, so that a rebuild gives the same value. */
export interface Field<T> {
  type: FieldType
  of: (document: T) => FieldValue
  /** Never null: a put with null is refused. Required for an order by several fields to use an index. */
  required?: boolean
  /**
   * `false`: it is compared and sorted by only beside other fields, as `listings` have it. An adapter may then do without an
   * index of its own, which each put would have to keep up.
   */
  alone?: false
}

/**
 * A kind of document. A change of `fields` or of the shape is a new `version`: the adapter then makes its indexes anew
 * and a rebuild fills them.
 */
export interface Collection<T> {
  /** `[a-z_]+`, unique in the process. */
  name: string
  version: number
  idType: 'integer' | 'text'
  /** Checked when a document is put; reads trust it. */
  schema: z.ZodType<T>
  fields: { readonly [name: string]: Field<T> }
  /**
   * Fields that stand in one index together, for a listing: those that are compared by equality, then those sorted by, in
   * one direction. All but the first of the latter are `required`. Each field has an index of its own besides. What is
   * missing is made when the store is opened: no new version is needed.
   */
  listings?: readonly (readonly string[])[]
  search?: SearchFields
}

/** Declared fields by which a collection is searched. */
export interface SearchFields {
  /** Of type text: what is searched. */
  name: string
  /** Of type text: the dotted path that ends with the name. */
  path?: string
  /** Of type integer: the id of the document whose path this one's path goes on from. */
  parent?: string
  /** Of type integer or number: among names that fit equally well, higher comes first. */
  score?: string
  /** Kept beside the name, so that filters and facets by them cost little. */
  included?: readonly string[]
}

/** A collection without its document type, which suffices for stores. */
export type CollectionShape = Pick<Collection<unknown>, 'name' | 'version' | 'idType'> & {
  readonly fields: {
    readonly [name: string]: { readonly type: FieldType; readonly required?: boolean; readonly alone?: false }
  }
  readonly listings?: readonly (readonly string[])[]
  readonly search?: SearchFields
}

/** Of the collection's `idType`: a safe integer, or text that is not empty. Anything else is refused with `invalid`. */
export type DocumentId = string | number

/** The source of a document: the revision of its stream and the position of the stream's last event. */
export interface Source {
  readonly revision: number
  readonly position: string
}

/** A document that does not fit its collection is refused with `internal`, and nothing of the same call is put. */
export interface DocumentPut<T = unknown> {
  collection: Collection<T>
  tenant: string
  id: DocumentId
  /** `null` removes the document. A tombstone stays, so that a late older put does not bring it back. */
  document: T | null
  source: Source
}

export interface Stored<T> {
  id: DocumentId
  document: T
  source: Source
}

/** A related document: of `collection`, with the id in the declared field `by`, or `id`. */
export interface Related {
  collection: CollectionShape
  by: string
}

/**
 * Documents as stored JSON texts. While none of them has changed, a store may answer the same object again, so callers
 * may cache results by it.
 */
export interface JsonWithRelated {
  readonly text: string
  readonly source: Source
  /** In the requested order; `undefined` if there is none. */
  readonly related: readonly (string | undefined)[]
}

/**
 * Names a declared field, or `id`. Conditions are joined by AND. `from` and `to` are inclusive. `contains` ignores case
 * (see `foldedCase`), `prefix` does not. Text is compared by code points.
 * A field that is null: `is: null` and an `in` with null find it, `not: 'x'` finds it as well (it is not 'x'); ranges,
 * `prefix` and `contains`, also of an empty text, never do. An empty `in` finds nothing.
 * Unknown fields and values of another type than the field's are refused with `invalid`; `in` takes at most 10,000 values.
 */
export type Condition =
  | { field: string; is: FieldValue }
  | { field: string; not: FieldValue }
  | { field: string; in: readonly FieldValue[] }
  | { field: string; from?: string | number; to?: string | number }
  | { field: string; prefix: string }
  | { field: string; contains: string }

export interface Query {
  where?: readonly Condition[]
  /**
   * Default: id ascending. Ties are always broken by id, in the direction of the last key. Null is the greatest value:
   * last when ascending, first when descending.
   */
  sort?: readonly { field: string; direction: 'asc' | 'desc' }[]
  /** 0-based. */
  page?: number
  /** 0 gives the count only. At most 1,000. */
  size: number
  /**
   * Maximum size of the texts of a page; a larger page of several documents is refused with `invalid`. Default: no
   * limit.
   */
  maxBytes?: number
  /** Requests a snapshot token of the current state. */
  marked?: boolean
  /**
   * A mark that was told before: only documents that were there by then are found and counted, so that those added since
   * move nothing. One that was changed since is found as it is now. A mark that this store cannot read, or from before a
   * rebuild, bounds nothing.
   */
  asOf?: string | undefined
  /** Aborts when the caller has left: the query then rejects, and work that has not begun may be skipped. */
  signal?: AbortSignal | undefined
}

export interface Found<T> {
  documents: T[]
  /** All that match, not only those of the page. */
  count: number
  /** If the query is `marked`: the snapshot token of this collection; `[A-Za-z0-9_-]{1,64}`. */
  mark?: string
}

export interface SearchQuery extends Query {
  /** Text to find in the name, or at the end of the path. Absent or blank: everything that matches `where`. */
  text?: string | undefined
  /** Fields to count the values of. */
  facets?: readonly string[]
  /** Added to the score of documents, by id, at most 10,000: what stands in no field. */
  boosts?: ReadonlyMap<DocumentId, number>
}

export interface SearchFound<T> extends Found<T> {
  /**
   * There are more than `count` says. Up to 10,000 that fit a text, and without a text, the count is always exact; beyond
   * it is as long as counting takes little time (milliseconds), and else what was counted by then, at least 10,000.
   */
  isCountCapped: boolean
  /** How often each value stands among the first 10,000 that fit, most frequent first, then by value; null is left out. */
  facets: { readonly [field: string]: readonly { value: FieldValue; count: number }[] }
  /** The facets cover only the first 10,000 matches. */
  isFacetCapped: boolean
}

/**
 * Read models. Nothing here is the truth: it can be dropped and made again from the log.
 *
 * Promises (asked by `./testing`): a put with a revision not higher than the stored one changes nothing and is no error;
 * a put that has answered is seen by every later read; tenants never see each other's; nothing that a filter value holds
 * is taken for SQL or an operator.
 */
export interface Documents {
  get<T>(collection: Collection<T>, tenant: string, id: DocumentId): Promise<Stored<T> | undefined>
  /** The JSON text of a document, to be sent as it is, and of those that it names, at the cost of about one `get` where the store can join them. */
  getJsonWithRelated<T>(
    collection: Collection<T>,
    tenant: string,
    id: DocumentId,
    related: readonly Related[],
  ): Promise<JsonWithRelated | undefined>
  put(puts: readonly DocumentPut[]): Promise<void>
  find<T>(collection: Collection<T>, tenant: string, query: Query): Promise<Found<T>>
  /**
   * By name, for collections that declare `search` (`internal` otherwise). Order: exact name (case ignored), beginning of
   * the name, beginning of a word in it, part of it, all words in any order with at most one typo in each; among these by
   * score, then by folded name, then by id. What separates words, and how a name shows where they begin (snake_case, camelCase, dots), makes no
   * difference but for 'exact'. A text with dots also fits the end of a path. A `sort` replaces that order, not the choice.
   * Of each kind at most 10,000 names are looked at.
   */
  search<T>(collection: Collection<T>, tenant: string, query: SearchQuery): Promise<SearchFound<T>>
  /** The documents of all tenants, by (tenant, id), in pages: for sweeps and rebuilds, never for a request. */
  scan<T = unknown>(
    collection: CollectionShape & Partial<Pick<Collection<T>, 'schema'>>,
    options?: { pageSize?: number; where?: readonly Condition[] },
  ): AsyncIterable<Stored<T> & { tenant: string }>
  close(): Promise<void>
}

/** Lets the compiler infer the fields' document type. */
export function defineCollection<T>(collection: Collection<T>): Collection<T> {
  return collection
}

/** A put in a list of puts of different collections, with its type checked. */
export function documentPut<T>(
  collection: Collection<T>,
  tenant: string,
  id: DocumentId,
  document: T | null,
  source: Source,
): DocumentPut {
  return { collection: collection as Collection<unknown>, tenant, id, document, source }
}
