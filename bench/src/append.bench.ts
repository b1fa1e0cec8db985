import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { EventStore, NewEvent } from '@assay/event-store'
import { createSqliteEventStore } from '@assay/event-store/sqlite'
import { openDatabase } from '@assay/sqlite'
import { type BenchRow, median } from './ratio.ts'

const pairs = 15
const appendsOfOne = 400
const writers = 64
const appendsOfEach = 25

const data = { assetId: 123_456, note: 'x'.repeat(120), columns: ['id', 'amount', 'currency'] }

/** About 450 bytes, with all columns. */
function event(): NewEvent {
  const metadata = { tenant: 'acme', actor: 'bench', schemaVersion: 1, occurredAt: '2026-01-02T03:04:05.678Z' }
  return { id: randomUUID(), type: 'PolicyScheduleSet', data, metadata }
}

/** Inserts one row per commit with the bare driver, with the columns and indexes of the store. Returns appends per second. */
function rawAppends(raw: DatabaseSync, stream: string, count: number): number {
  const insert = raw.prepare(
    `INSERT INTO event (stream, revision, category, id, type, recorded_at, metadata, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const started = performance.now()
  for (let revision = 0; revision < count; revision++) {
    const { id, type, metadata } = event()
    const recordedAt = new Date().toISOString()
    insert.run(stream, revision, 'bench', id, type, recordedAt, JSON.stringify(metadata), JSON.stringify(data))
  }
  return (count / (performance.now() - started)) * 1000
}

async function appendAll(store: EventStore, stream: string, count: number): Promise<void> {
  for (let revision = 0; revision < count; revision++) {
    await store.append(stream, [event()], revision === 0 ? 'none' : revision - 1)
  }
}

async function portAppends(store: EventStore, name: string, concurrent: number, each: number): Promise<number> {
  const started = performance.now()
  const streams = Array.from({ length: concurrent }, (_, n) => `acme/bench-${name}-${n}`)
  await Promise.all(streams.map((stream) => appendAll(store, stream, each)))
  return ((concurrent * each) / (performance.now() - started)) * 1000
}

const perSecond = (values: readonly number[]): string => `${Math.round(median(values))}/s`

/**
 * P10 and P10b: fully durable appends through the port, against single-row commits of the same row with the bare driver, in
 * interleaved pairs, each on a separate file.
 */
export async function benchAppend(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-append-'))
  const database = openDatabase({ path: join(folder, 'port.db') })
  const store = createSqliteEventStore({ database, clock: { now: Date.now } })
  // The store creates the baseline's tables too, so that both are equal.
  const schema = openDatabase({ path: join(folder, 'raw.db') })
  createSqliteEventStore({ database: schema, clock: { now: Date.now } })
  await schema.close()
  const raw = new DatabaseSync(join(folder, 'raw.db'))
  raw.exec('PRAGMA synchronous = FULL')
  try {
    const rates: { raw: number[]; one: number[]; many: number[] } = { raw: [], one: [], many: [] }
    // The first pair only warms up.
    for (let pair = 0; pair <= pairs; pair++) {
      const one = await portAppends(store, `one${pair}`, 1, appendsOfOne)
      const bare = rawAppends(raw, `acme/bench-${pair}`, appendsOfOne)
      const many = await portAppends(store, `many${pair}`, writers, appendsOfEach)
      if (pair === 0) continue
      rates.one.push(one)
      rates.raw.push(bare)
      rates.many.push(many)
    }
    const ratio = (values: readonly number[]): number => median(values.map((rate, n) => rate / (rates.raw[n] ?? 0)))
    const baseline = `single-row commits ${perSecond(rates.raw)}`
    return [
      {
        name: 'P10 append through the port, one writer',
        ratio: ratio(rates.one),
        target: '>= 0.8',
        detail: `${perSecond(rates.one)}, ${baseline}`,
      },
      {
        name: 'P10b append through the port, 64 writers',
        ratio: ratio(rates.many),
        target: '>= 3',
        detail: `${perSecond(rates.many)}, ${baseline}`,
      },
    ]
  } finally {
    await store.close()
    await database.close()
    raw.close()
    rmSync(folder, { recursive: true })
  }
}
