export { createPostgresEngine, type PostgresEngineOptions } from './engine.ts'
