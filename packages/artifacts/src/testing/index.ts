export { type ArtifactsUnderTest, artifactsFeatures } from './artifacts.features.ts'
export { invalidKeys } from './invalid-keys.ts'
