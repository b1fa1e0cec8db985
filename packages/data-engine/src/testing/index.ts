export { dataEngineFeatures } from './features.ts'
