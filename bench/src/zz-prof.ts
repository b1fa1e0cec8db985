import { DatabaseSync } from 'node:sqlite'
import { followNames, preparing, reading, runSearch } from '@assay/documents/sqlite'
import { requestOf } from './search.bench.ts'
import { searchMix } from './search-data.ts'

const n = process.argv[2]
const bare = new DatabaseSync(`/tmp/h3/${n}.db`, { readOnly: true })
bare.exec('PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 1073741824')
const prep = preparing(bare)
const stats = new Map<string, { n: number; ms: number; rows: number }>()
const deep = process.argv[3] === 'sql'
const prepare: typeof prep = !deep
  ? prep
  : (sql) => {
      const st = prep(sql)
      return {
        all: (...v: never[]) => {
          const t = performance.now()
          const r = st.all(...v)
          const s = stats.get(sql) ?? { n: 0, ms: 0, rows: 0 }
          s.n++
          s.ms += performance.now() - t
          s.rows += r.length
          stats.set(sql, s)
          return r
        },
      } as never
    }
const texts = searchMix(200)
const names = followNames({ search: requestOf('').search, tenant: 't', all: reading(prep), mostNames: 500000 })
const l0 = performance.now(); const m0 = process.memoryUsage().rss; while (!names.load()); console.log('loaded', names.size, (performance.now() - l0).toFixed(0), 'ms', ((process.memoryUsage().rss - m0) / 1e6).toFixed(0), 'MB')
const mem = process.argv[4] !== 'sql'
const f0 = performance.now(); names.now()?.index.match('abc', () => []); console.log('first', (performance.now() - f0).toFixed(0))
const own = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
for (const t of texts.slice(0, 24)) await runSearch(prepare, requestOf(t), mem ? names.now() : undefined)
stats.clear()
const rows: { t: string; ms: number; cpu: number; count: number; capped: boolean }[] = []
for (let round = 0; round < 4; round++) for (const [i, t] of texts.entries()) {
  const c = own()
  const b = performance.now()
  const a = await runSearch(prepare, requestOf(t), mem ? names.now() : undefined)
  const was = rows[i]?.ms ?? Infinity; const took = performance.now() - b; if (took < was) rows[i] = ({ t, ms: took, cpu: own() - c, count: a.count, capped: a.isCountCapped })
}
const q = (k: 'ms' | 'cpu', p: number) =>
  rows
    .map((r) => r[k])
    .sort((a, b) => a - b)
    [Math.floor(p * 199)]!.toFixed(2)
console.log(
  n,
  'wall p50',
  q('ms', 0.5),
  'p90',
  q('ms', 0.9),
  'p99',
  q('ms', 0.99),
  'cpu p50',
  q('cpu', 0.5),
  'p99',
  q('cpu', 0.99),
)
if (process.argv[3] === 'list')
  for (let k = 0; k < 12; k++) {
    const some = rows.filter((_, i) => i % 12 === k)
    console.log(
      k,
      some
        .slice(0, 3)
        .map((r) => r.t)
        .join('|'),
      'ms',
      some
        .map((r) => r.ms)
        .sort((a, b) => a - b)[8]!
        .toFixed(2),
      'max',
      Math.max(...some.map((r) => r.ms)).toFixed(2),
      'count',
      some
        .slice(0, 3)
        .map((r) => r.count + (r.capped ? '+' : ''))
        .join(','),
    )
  }
if (deep)
  for (const [sql, s] of [...stats].sort((a, b) => b[1].ms - a[1].ms).slice(0, 14))
    console.log(s.ms.toFixed(0), 'ms', s.n, 'x', s.rows, 'rows', sql.replace(/\s+/g, ' ').slice(0, 200))
