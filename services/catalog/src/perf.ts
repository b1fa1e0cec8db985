import { mkdtempSync } from 'node:fs'
import { column, file, folder } from './testing/fake-engine.ts'
import { startCatalog } from './testing/harness.ts'

const place = mkdtempSync('/tmp/perf-')
const catalog = await startCatalog(place)
const n = Number(process.argv[2] ?? 500)
const cols = Array.from({ length: 50 }, (_, i) => column(`column_${i}`))
catalog.engine.finds = [
  { kind: 'found', tables: n },
  folder('a'),
  ...Array.from({ length: n }, (_, i) => file(`a/table_${i}.csv`, cols)),
]
let worst = 0,
  last = performance.now()
const t = setInterval(() => {
  const now = performance.now()
  worst = Math.max(worst, now - last - 5)
  last = now
}, 5)
let start = performance.now()
const { id, crawl } = await catalog.assembly('s')
console.log(
  crawl.status,
  crawl.added,
  crawl.errors.slice(0, 2),
  'first',
  Math.round(performance.now() - start),
  'ms, worst loop delay',
  Math.round(worst),
)
worst = 0
start = performance.now()
console.log(
  (await catalog.crawl(id)).changed,
  'again',
  Math.round(performance.now() - start),
  'worst',
  Math.round(worst),
)
worst = 0
catalog.engine.finds = [{ kind: 'found', tables: 0 }]
start = performance.now()
console.log(
  (await catalog.crawl(id)).removed,
  'vanish',
  Math.round(performance.now() - start),
  'worst',
  Math.round(worst),
  'rss',
  Math.round(process.memoryUsage().rss / 1e6),
)
clearInterval(t)
await catalog.stop()
