export { createDuckDbEngine, type DuckDbEngineOptions } from './engine.ts'
