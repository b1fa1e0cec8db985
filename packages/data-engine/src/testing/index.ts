export { dataEngineFeatures, type EngineSubject, measuringFeatures } from './features.ts'
