export { createDuckDbEngine, type DuckDbEngine, type DuckDbEngineOptions } from './engine.ts'
