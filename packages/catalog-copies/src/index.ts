export { columnRangeFields, tablesWithColumns, tableWithColumn } from './column-ranges.ts'
export { type Copies, collectionsOf, keepingCopies, putOfMessage, putsOf, topicsOf } from './copies.ts'
export { protectedAssets, type ShownTable } from './protection.ts'
export { createTagReader, defineTagCollections, type TagReader, tagPut } from './tags.ts'
