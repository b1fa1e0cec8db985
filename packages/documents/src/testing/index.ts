export type { DocumentsUnderTest } from './asking.ts'
export {
  awkwardTexts,
  entries,
  entryPut,
  notePut,
  notes,
  storedText,
  testCollections,
  thing,
  thingPut,
  things,
} from './collections.ts'
export { documentsFeatures } from './documents.features.ts'
export { planOfListing } from './reading-plans.ts'
