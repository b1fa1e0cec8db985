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
export { type DocumentsUnderTest, documentsFeatures } from './documents.features.ts'
export { planOfListing } from './reading-plans.ts'
