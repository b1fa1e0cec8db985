import { dataEngineFeatures } from '../testing/features.ts'
import { createDuckDbEngine } from './engine.ts'

dataEngineFeatures('DuckDB', async (tempRoot) =>
  createDuckDbEngine({ memoryMb: 500, threads: 2, tempRoot, clock: { now: () => Date.now() } }),
)
