export { createEngineInProcess } from './engine-in-process.ts'
export { dataEngineFeatures, type EngineSubject, measuringFeatures } from './features.ts'
