import { comparingFeatures } from '../testing/compare-features.ts'
import { comparingLater } from '../testing/compare-later.ts'
import { comparingInDuckDb } from '../testing/comparing-in-duckdb.ts'

// Needs no server, but repeats the tests of compare.int.spec.ts, which take a tenth of the time of `npm test`.
comparingFeatures('DuckDB, with rows that it stored earlier', async () => {
  const subject = await comparingInDuckDb()
  return { ...subject, engine: comparingLater(subject.engine) }
})
