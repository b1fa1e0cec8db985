export { checkedId, checkedQuery, checkedWhere } from './checked-query.ts'
export { type EncodedPut, encodedPut } from './encoded-put.ts'
export { type Asking, alignedSize, type Bounds, findPage, findPageInParts, searchPage } from './page.ts'
export { PageTooLarge } from './page-bytes.ts'
export {
  type Collection,
  type CollectionShape,
  type Condition,
  type DocumentId,
  type DocumentPut,
  type Documents,
  defineCollection,
  documentPut,
  type Field,
  type FieldType,
  type FieldValue,
  type Found,
  type JsonWithRelated,
  type Query,
  type Related,
  type SearchFields,
  type SearchFound,
  type SearchQuery,
  type Source,
  type Stored,
} from './port.ts'
export { nameMatches } from './search/name-matches.ts'
export { foldedCase, prefixEnd } from './text.ts'
