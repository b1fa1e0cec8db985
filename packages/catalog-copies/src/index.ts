export { columnRangeFields, tablesWithColumns, tableWithColumn } from './column-ranges.ts'
export { protectedAssets, type ShownTable } from './protection.ts'
export { createTagReader, defineTagCollections, type TagReader, tagPut } from './tags.ts'
