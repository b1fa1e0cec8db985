import { mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { AssayError } from '@assay/service-kit/errors'
import { filePart } from '../duckdb/file-part.ts'
import { idsColumn, keptName } from '../kept-rows/format.ts'
import type { KeptRows, MeasurePlan, MetricResult, PreviewRow, RowFormat } from '../plan.ts'
import type { KeptRowFiles, MeasureCall } from '../port.ts'
import type { RowSink } from '../row-sink.ts'
import type { Measurement, Rows } from '../sql/compile.ts'
import { type KeptStatements, keptStatements } from './bad-rows.ts'
import type { Session } from './connection.ts'
import type { Database } from './database.ts'
import { numberOf } from './results.ts'

type Side = 'bad' | 'good'
const extensions: { [format in RowFormat]: string } = { PARQUET: 'parquet', CSV: 'csv', JSON: 'json' }
const rowsAtOnce = 1000
const usualMaxMb = 10_240

interface Keeping {
  database: Database
  session: Session
  statements: KeptStatements
  plan: MeasurePlan
  call: MeasureCall & { rows: RowSink }
  rewrite: KeptRowFiles['rewrite']
  folder: string
}

/** Writes rows as JSON lines. Returns the number of rows, and the first of them. */
async function writeLines(
  { database, session, statements, plan, call }: Keeping,
  side: Side,
  file: string,
): Promise<{ count: number; preview: PreviewRow[] }> {
  const { columns, connection } = session
  const limit = plan.rows[side]?.limit ?? null
  const mostBytes = (call.limits?.maxTempMb ?? usualMaxMb) * 1_000_000
  const handle = await open(file, 'w')
  const preview: PreviewRow[] = []
  let [count, bytes] = [0, 0]
  try {
    const parts = connection.stream?.(statements.rows(side, limit), rowsAtOnce)
    for await (const part of parts ?? []) {
      const lines = part.map((cells) => {
        const none = { text: null, type: 0 }
        const values = columns.map(
          (column, index) => [column.name, database.jsonValue(cells[index] ?? none, column)] as const,
        )
        const ids = (cells[columns.length]?.text ?? '').split(',').filter(Boolean).map(Number)
        if (preview.length < plan.rows.preview) preview.push({ values: Object.fromEntries(values), ruleItemIds: ids })
        const stored = values.map(([name, value]) => [keptName(name), value] as const)
        return `${JSON.stringify({ ...Object.fromEntries(stored), ...(side === 'bad' ? { [idsColumn]: ids } : {}) })}\n`
      })
      const text = Buffer.from(lines.join(''))
      bytes += text.length
      count += lines.length
      if (bytes > mostBytes)
        throw new AssayError('too-large', 'The rows to store need more than the temporary space of a run.')
      await handle.writeFile(text)
    }
  } finally {
    await handle.close()
  }
  return { count, preview }
}

async function keepSide(keeping: Keeping, side: Side): Promise<KeptRows | null> {
  const { plan, call, rewrite, folder, session, statements } = keeping
  const { signal, tenant } = call
  const request = plan.rows[side]
  if (request === null) return null
  const file = join(folder, side, 'rows.json')
  await mkdir(dirname(file), { recursive: true })
  const { count, preview } = await writeLines(keeping, side, file)
  const isCut = request.limit !== null && count >= request.limit
  const all = isCut ? numberOf((await session.connection.read(statements.count(side)))[0]?.[0]) : count
  if (count === 0) return { count: all, files: [], preview }
  const name = `${side}/part-0.${extensions[request.format]}`
  const written = request.format === 'JSON' ? file : join(folder, 'written', name)
  if (written !== file) {
    await mkdir(dirname(written), { recursive: true })
    const to = { file, from: 'JSON', to: request.format, mask: null, maskText: '' } as const
    await rewrite(to, { signal, ...(tenant === undefined ? {} : { tenant }), purpose: 'job', outputFile: written })
  }
  await call.rows(filePart(name, written))
  return { count: all, files: [name], preview }
}

/**
 * Stores the rows that a plan requests. Reads them in the transaction of the measurement, in parts, so that memory does
 * not grow with the number of rows. `rewrite`: converts JSON lines to other formats.
 */
export async function keepRows(
  { database, rewrite }: { database: Database; rewrite: KeptRowFiles['rewrite'] | undefined },
  {
    session,
    rows,
    plan,
    measurements,
    results,
  }: {
    session: Session
    rows: Rows
    plan: MeasurePlan
    measurements: readonly Measurement[]
    results: readonly MetricResult[]
  },
  call: MeasureCall & { rows: RowSink },
): Promise<{ bad: KeptRows | null; good: KeptRows | null }> {
  if (plan.rows.bad === null && plan.rows.good === null) return { bad: null, good: null }
  if (rewrite === undefined || session.connection.stream === undefined)
    throw new AssayError('unprocessable', `Rows of ${database.name} cannot be stored yet.`)
  call.onProgress?.({ stage: 'WRITING', fraction: null })
  const statements = keptStatements(database.allColumns(session), rows, {
    measurements,
    results,
    ignored: plan.ignoreRowsOf ?? [],
  })
  const folder = await mkdtemp(join(tmpdir(), 'assay-rows-'))
  try {
    const keeping: Keeping = { database, session, statements, plan, call, rewrite, folder }
    return { bad: await keepSide(keeping, 'bad'), good: await keepSide(keeping, 'good') }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
