import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { start, type TrinoServer, whyNot } from '../../../../tools/servers/trino.mjs'
import type { Metric } from '../plan.ts'
import type { DatabaseEngine } from '../port.ts'
import { createEngineRouter } from '../router.ts'
import { noRows } from '../row-sink.ts'
import { createEngineInProcess } from '../testing/engine-in-process.ts'
import { onlyTable, planFor, written } from '../testing/plans.ts'
import { inMemory, reachTrino, trinoAt, trinoStatements } from '../testing/trino.ts'
import { createTrinoEngine } from '../trino/engine.ts'
import {
  aggregates,
  answersOf,
  difference,
  failing,
  inBoth,
  lookupsIn,
  names,
  refusedSelects,
  refusedViews,
  type Subject,
  selects,
  statements,
  viewOf,
} from './same-answers.fixture.ts'

const reason = await whyNot()
if (reason !== undefined) process.stderr.write(`The suite of the same answers in Trino does not run. ${reason}\n`)

/** What Trino answers otherwise than DuckDB, by check: texts that fail in it only, and in DuckDB only. */
const known = { ...inBoth }

describe.skipIf(reason !== undefined)('the same data in DuckDB and Trino', () => {
  let server: TrinoServer
  let folder: string
  let files: ReturnType<typeof createEngineInProcess>
  let trino: DatabaseEngine
  let subjects: Record<'DuckDB' | 'Trino', Subject>
  const { signal } = new AbortController()

  beforeAll(async () => {
    ;[server, folder] = await Promise.all([start(), mkdtemp(join(tmpdir(), 'assay-same-answers-'))])
    const source = trinoAt(server.url, 'memory')
    const admin = trinoStatements(source)
    for (const statement of statements(names.trino, true))
      await admin.run(statement.replace(/ (nasty|listed) /, ' memory.default.$1 '))
    await admin.close()
    files = createEngineInProcess()
    const table = async (name: string) => {
      const path = join(folder, `${name}.duckdb`)
      const instance = await DuckDBInstance.create(path)
      const duckdb = await instance.connect()
      for (const statement of statements(names.duckdb)) if (statement.includes(` ${name} `)) await duckdb.run(statement)
      duckdb.closeSync()
      instance.closeSync()
      return onlyTable(files, { sourceType: 'DUCKDB', path })
    }
    trino = createTrinoEngine({ reach: reachTrino(source), clock: Date, touches: files.touches })
    subjects = {
      DuckDB: { engine: files, table: await table('nasty'), listed: await table('listed') },
      Trino: { engine: trino, table: inMemory('nasty'), listed: inMemory('listed') },
    }
  }, 300_000)
  afterAll(async () => {
    for (const { engine } of Object.values(subjects ?? {})) await engine.close()
    await server?.stop()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  it('given rows of all kinds, when Trino checks them, then only listed ones differ', async () => {
    const [expected, found] = [await failing(subjects.DuckDB), await failing(subjects.Trino)]
    const differing = [...expected].flatMap(([check, inDuckdb]): [string, unknown][] => {
      const one = difference(inDuckdb, found.get(check))
      return one === null ? [] : [[check, one]]
    })
    expect(Object.fromEntries(differing)).toEqual(known)
  })

  it.each([
    ['DuckDB', 'Trino'],
    ['Trino', 'DuckDB'],
  ] as const)(
    'given a table in %s and its allowed values in %s, when they are looked up, then the same rows fail as within one source',
    async (name, place) => {
      const engine = createEngineRouter({ files, databases: { TRINO: trino } })
      const expected = await failing(subjects.DuckDB, lookupsIn(subjects.DuckDB.listed))
      expect(await failing({ ...subjects[name], engine }, lookupsIn(subjects[place].listed))).toEqual(expected)
    },
  )

  it('given columns of all types, when Trino aggregates them, then its figures are the same', async () => {
    const measured = async ({ engine, table }: Subject) =>
      (await engine.measure(planFor(table, aggregates), { rows: noRows, signal })).metrics
    expect(await measured(subjects.Trino)).toEqual(await measured(subjects.DuckDB))
  })

  it('given SELECTs over several tables, when Trino runs them, then the numbers are the same', async () => {
    const metrics = ({ listed: dataset }: Subject) =>
      selects.map(
        (text, id): Metric => ({
          ...{ kind: 'select', id, select: written(text) },
          ...(text.includes('"listed"') ? { tables: [{ name: 'listed', dataset }] } : {}),
        }),
      )
    const measured = async (subject: Subject) => {
      const plan = planFor(subject.table, metrics(subject), { filter: written('n IS NOT NULL') })
      const found = await subject.engine.measure(plan, { rows: noRows, signal })
      return found.metrics.map((one) => (one.kind === 'value' ? one.value : one))
    }
    expect(await measured(subjects.Trino)).toEqual(await measured(subjects.DuckDB))
  })

  it('given views over the same rows, when Trino checks, aggregates, selects, samples and describes them, then all answers are those of the tables', async () => {
    const { engine, table, listed } = subjects.Trino
    const views = { engine, table: viewOf(table), listed: viewOf(listed) }
    expect(await answersOf(views)).toEqual(await answersOf(subjects.Trino))
  })

  it('given a view that breaks out, writes, or reads or calls anything else, when Trino prepares it, then it is refused', async () => {
    const { engine, table } = subjects.Trino
    const unnamed = ['SELECT n, n + 1 FROM "rows"', /Name the column 2/] as const
    for (const [sql, message] of [...refusedViews, unnamed]) {
      const found = engine.prepare({ dataset: viewOf(table, sql), metrics: [] }, { signal })
      await expect(found, sql).rejects.toMatchObject({ code: 'invalid', message: expect.stringMatching(message) })
    }
  })

  it('given a SELECT that reads other tables or gives no number, when Trino prepares or runs it, then it is refused', async () => {
    const refused = [
      ...refusedSelects,
      ['SELECT count(*) FROM TABLE(system.query(query => 1))', /./],
      ['SELECT count(*) FROM memory.default.nasty', /cannot be read here/],
      ['SELECT count(*) FROM information_schema.tables', /cannot be read here/],
    ] as const
    const metrics = refused.map(([text], id): Metric => ({ kind: 'select', id, select: written(text) }))
    const { engine, table } = subjects.Trino
    const { metrics: found } = await engine.measure(planFor(table, metrics), { rows: noRows, signal })
    const messages = found.map((one) => (one.kind === 'error' ? one.message : JSON.stringify(one)))
    for (const [id, [, message]] of refused.entries()) expect(messages[id]).toMatch(message)
  })
})
