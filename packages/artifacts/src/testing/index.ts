export { type ArtifactsUnderTest, artifactsFeatures } from './artifacts.features.ts'
export { foreignKeys } from './foreign-keys.ts'
