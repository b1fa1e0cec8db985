import type { z } from 'zod'

export type FieldValue = string | number | boolean | null
export type FieldType = 'text' | 'integer' | 'number' | 'boolean'

/** A field for filters and sorting. `of` must be pure, so that a rebuild gives the same value. */
export interface Field<T> {
  type: FieldType
  of: (document: T) => FieldValue
  /**
   * The field is never null; a put with null is refused. Sorting by several fields uses an index only if the field is
   * required.
   */
  required?: boolean
  /**
   * `false`: queries compare and sort by it only together with other fields, as declared in `listings`. An adapter may
   * then omit its own index, which every put would have to maintain.
   */
  alone?: false
  /**
   * Most documents have null. An adapter may leave these documents out of the listings with the field, which their puts
   * then need not maintain. Queries that compare the field with null, or only sort by it, then use no such listing.
   */
  sparse?: true
}

/**
 * A kind of document. Raise `version` after a change of `fields` or of the shape: the adapter then recreates its
 * indexes, and a rebuild fills the collection.
 */
export interface Collection<T> {
  /** `[a-z_]+`, unique in the process. */
  name: string
  version: number
  idType: 'integer' | 'text'
  /** Checked when a document is put. Reads do not check it again. */
  schema: z.ZodType<T>
  fields: { readonly [name: string]: Field<T> }
  /**
   * Compound indexes for listings. Each lists the fields that are compared by equality, then the sort fields, in one
   * direction. All sort fields but the first must be `required`. Each field has its own index too, unless its `alone` is
   * false. Missing indexes are created when the store is opened, so a new listing needs no new version.
   */
  listings?: readonly (readonly string[])[]
  search?: SearchFields
}

/** Declared fields by which a collection is searched. */
export interface SearchFields {
  /** The field of type text with the name that is searched. */
  name: string
  /** The field of type text with the dotted path, which ends with the name. */
  path?: string
  /** The field of type integer with the id of the parent, the document whose path is the beginning of this path. */
  parent?: string
  /** The field of type integer or number with the score. Among equally good matches, a higher score comes first. */
  score?: string
  /** Fields that are stored in the index of the name, so that filters and facets by them are cheap. */
  included?: readonly string[]
}

/** A collection without the type of its documents. Stores need no more than this. */
export type CollectionShape = Pick<Collection<unknown>, 'name' | 'version' | 'idType'> & {
  readonly fields: {
    readonly [name: string]: {
      readonly type: FieldType
      readonly required?: boolean
      readonly alone?: false
      readonly sparse?: true
    }
  }
  readonly listings?: readonly (readonly string[])[]
  readonly search?: SearchFields
}

/** A safe integer or a non-empty text, by the collection's `idType`. Other ids throw `invalid`. */
export type DocumentId = string | number

/** The source of a document: the revision of its stream, and the position of the stream's last event. */
export interface Source {
  readonly revision: number
  readonly position: string
}

/** A document that does not match its collection's schema throws `internal`, and nothing of the same call is put. */
export interface DocumentPut<T = unknown> {
  collection: Collection<T>
  tenant: string
  id: DocumentId
  /** `null` removes the document. A tombstone stays, so that a late put of an older revision does not restore it. */
  document: T | null
  source: Source
}

export interface Stored<T> {
  id: DocumentId
  document: T
  source: Source
}

/** A related document in `collection`. Its id is the value of the field `by`, which is a declared field or `id`. */
export interface Related {
  collection: CollectionShape
  by: string
}

/**
 * Documents as stored JSON texts. Until one of them changes, a store may return the same object, so callers may use the
 * object as a cache key.
 */
export interface JsonWithRelated {
  readonly text: string
  readonly source: Source
  /** In the requested order; `undefined` if there is none. */
  readonly related: readonly (string | undefined)[]
}

/**
 * `field` is a declared field or `id`. Conditions are joined by AND. `from` and `to` are inclusive. `contains` ignores
 * case (see `foldedCase`), `prefix` does not. Text is compared by code points.
 * A null field matches `is: null`, an `in` that contains null, and `not: 'x'` (it is not 'x'). It never matches ranges,
 * `prefix` and `contains`, even with an empty text. An empty `in` matches nothing.
 * Unknown fields, and values whose type differs from the field's, throw `invalid`. `in` takes at most 10,000 values.
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
   * Default: id, ascending. Ties are always broken by id, in the direction of the last key. Null is the greatest value:
   * it comes last when ascending, first when descending.
   */
  sort?: readonly { field: string; direction: 'asc' | 'desc' }[]
  /** 0-based. */
  page?: number
  /** 0 gives the count only. At most 1,000. */
  size: number
  /**
   * Maximum total size of the texts of a page. A larger page is refused with `invalid`, unless it has only one
   * document. Default: no limit.
   */
  maxBytes?: number
  /** Requests a snapshot token of the current state. */
  withSnapshotToken?: boolean
  /**
   * A snapshot token of an earlier answer. Only documents that existed then are found and counted, so documents added
   * since do not shift pages. A document changed since is found in its current state. A token is ignored if this store
   * cannot read it, or if it is from before a rebuild.
   */
  asOf?: string | undefined
  /** Aborts when the caller disconnects: the query then rejects, and work that has not begun may be skipped. */
  signal?: AbortSignal | undefined
}

export interface Found<T> {
  documents: T[]
  /** Number of all matches, not only of the page. */
  count: number
  /** If the query asks for it: the snapshot token of this collection; `[A-Za-z0-9_-]{1,64}`. */
  snapshotToken?: string
}

export interface SearchQuery extends Query {
  /** Text to find in the name, or at the end of the path. Absent or blank: everything that matches `where`. */
  text?: string | undefined
  /** Fields whose values are counted. */
  facets?: readonly string[]
  /**
   * Numbers that are added to the scores of documents, by id; at most 10,000. For scores that are not stored in a
   * field.
   */
  boosts?: ReadonlyMap<DocumentId, number>
}

export interface SearchFound<T> extends Found<T> {
  /**
   * Whether there are more matches than `count`. The count is exact without a text, and for a text that matches at most
   * 10,000 documents. Beyond that, it is exact if counting takes only milliseconds. Otherwise it is the number counted
   * until then, at least 10,000.
   */
  isCountCapped: boolean
  /**
   * How often each value occurs among the first 10,000 matches, most frequent first, then by value; null is left out.
   */
  facets: { readonly [field: string]: readonly { value: FieldValue; count: number }[] }
  /** Whether the facets cover only the first 10,000 matches. */
  isFacetCapped: boolean
}

/** `after`: the scan begins with the next document, whether or not this one exists. */
export interface ScanOptions {
  pageSize?: number
  where?: readonly Condition[]
  after?: { tenant: string; id: DocumentId } | undefined
}

/**
 * Read models. None of them is the source of truth: they can be dropped and rebuilt from the log.
 * Guarantees (tested by `./testing`): a put whose revision is not higher than the stored one changes nothing and is no
 * error; every read after a completed put sees it; tenants never see each other's documents; no part of a filter value
 * is interpreted as SQL or as an operator.
 */
export interface Documents {
  get<T>(collection: Collection<T>, tenant: string, id: DocumentId): Promise<Stored<T> | undefined>
  /**
   * The JSON text of a document, to be sent as it is, and of its related documents. If the store can join them, this
   * costs little more than one `get`.
   */
  getJsonWithRelated<T>(
    collection: Collection<T>,
    tenant: string,
    id: DocumentId,
    related: readonly Related[],
  ): Promise<JsonWithRelated | undefined>
  put(puts: readonly DocumentPut[]): Promise<void>
  find<T>(collection: Collection<T>, tenant: string, query: Query): Promise<Found<T>>
  /**
   * Searches by name, in collections that declare `search` (`internal` otherwise). Order: exact name (ignoring case),
   * prefix of the name, prefix of a word in it, substring, all words in any order with at most one typo each. Within
   * these, by score, then by folded name, then by id. Word separators and boundaries (snake_case, camelCase, dots)
   * matter only for an exact match. A text with dots also matches the end of a path. `sort` replaces the order, not the
   * selection. At most 10,000 names of each of these kinds are read.
   */
  search<T>(collection: Collection<T>, tenant: string, query: SearchQuery): Promise<SearchFound<T>>
  /** The documents of all tenants, ordered by (tenant, id), in pages. For sweeps and rebuilds, never for a request. */
  scan<T = unknown>(
    collection: CollectionShape & Partial<Pick<Collection<T>, 'schema'>>,
    options?: ScanOptions,
  ): AsyncIterable<Stored<T> & { tenant: string }>
  close(): Promise<void>
}

/** Lets the compiler infer the fields' document type. */
export function defineCollection<T>(collection: Collection<T>): Collection<T> {
  return collection
}

/** A put for a list with puts of different collections. Its type is checked. */
export function documentPut<T>(
  collection: Collection<T>,
  tenant: string,
  id: DocumentId,
  document: T | null,
  source: Source,
): DocumentPut {
  return { collection: collection as Collection<unknown>, tenant, id, document, source }
}
