import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type AssayProcess, startAssay } from '@assay/testkit'
import type { BenchRow } from './ratio.ts'

/** 20,000 tables of 49 columns, with their schema and database, are 1,000,002 assets. */
const tables = Number(process.env.ASSAY_BENCH_CRAWL_TABLES ?? 2_000)
const columns = 49
const everyMs = 100
const endMs = 30 * 60_000
const api = '/catalog-server/api'

/** A SQLite file with many tables and no rows. */
function makeSource(path: string): void {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN')
  const list = Array.from({ length: columns }, (_, at) => `column_${at} TEXT`).join(', ')
  for (let at = 0; at < tables; at += 1) database.exec(`CREATE TABLE table_${at} (${list})`)
  database.exec('COMMIT')
  database.close()
}

/** Peak resident memory in MB; 0 for a process that has ended. */
function peakMemoryOf(pid: number): number {
  const path = `/proc/${pid}/status`
  if (!existsSync(path)) return 0
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(path, 'latin1'))?.[1] ?? 0) / 1024
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
  )
}

/** Follows a crawl until it ends or `enough` tables are done. Returns its time, steps and the memory of its child. */
async function watched(assay: AssayProcess, id: number, enough = Number.POSITIVE_INFINITY) {
  const began = performance.now()
  const progress: number[] = []
  let child = 0
  for (;;) {
    const { json, status, text } = await assay.call('GET', `${api}/crawls/${id}`)
    if (status !== 200) throw new Error(`The crawl cannot be read: ${text}`)
    const { data } = json
    for (const pid of childrenOf(assay.pid)) child = Math.max(child, peakMemoryOf(pid))
    if (data.done > (progress.at(-1) ?? -1)) progress.push(data.done)
    const seconds = (performance.now() - began) / 1000
    if (data.status !== 'RUNNING' || data.done >= enough) return { crawl: data, seconds, steps: progress.length, child }
    if (seconds * 1000 > endMs) throw new Error(`The crawl did not end: ${text}`)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}

/**
 * A crawl of a generated source that is cancelled after a third and repeated; every asset must be found once. Measures the
 * memory of the server and of the reading child. `ASSAY_BENCH_CRAWL_TABLES=20000`: 1,000,002 assets.
 */
export async function benchCrawl(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-crawl-'))
  const source = join(folder, 'source.sqlite')
  makeSource(source)
  const assay = await startAssay(join(folder, 'data'))
  try {
    const body = { name: 'big', sourceType: 'SQLITE', configuration: { path: source } }
    const made = await assay.call('POST', `${api}/assemblies`, body)
    if (made.status >= 300) throw new Error(`The assembly was not created: ${made.text}`)
    const { id } = made.json.data
    const { json: list } = await assay.call('GET', `${api}/assemblies/${id}/crawls`)
    const first = await watched(assay, list.data[0].id, tables / 3)
    await assay.call('PUT', `${api}/crawls/${list.data[0].id}/cancel`)
    const cancelled = await watched(assay, list.data[0].id)
    const again = await assay.call('POST', `${api}/assemblies/${id}/crawl`)
    const second = await watched(assay, again.json.data.id)
    const { json: found } = await assay.call('GET', `${api}/assets/discover?size=0`)
    const wanted = tables * (columns + 1) + 2
    const isWhole = second.crawl.status === 'SUCCESSFUL' && found.meta.count === wanted
    if (!isWhole) throw new Error(`${found.meta.count} of ${wanted} assets: ${JSON.stringify(second.crawl)}`)
    const seconds = first.seconds + cancelled.seconds + second.seconds
    const children = Math.max(first.child, cancelled.child, second.child)
    return [
      {
        name: `crawl of ${wanted} assets, cancelled (${cancelled.crawl.status}) and crawled again: peak MB of the server`,
        ratio: peakMemoryOf(assay.pid),
        target: 'bounded',
        detail: `${seconds.toFixed(1)} s, ${(wanted / seconds).toFixed(0)} assets/s; peak of the reading child ${children.toFixed(0)} MB; progress rose ${first.steps + second.steps} times`,
      },
    ]
  } finally {
    await assay.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
