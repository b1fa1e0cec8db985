import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type AssayProcess, startAssay } from '@assay/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { start, type TrinoServer, whyNot } from '../../../tools/servers/trino.mjs'
import { itemCounts, sourceCalls } from './database-source.fixture.ts'

const api = '/catalog-server/api'
const reason = await whyNot()
if (reason !== undefined) process.stderr.write(`The suite of runs that continue at Trino does not run. ${reason}\n`)

const part = z.object({
  nextUri: z.string().optional(),
  data: z.array(z.array(z.unknown())).optional(),
  error: z.object({ message: z.string() }).optional(),
})

describe.skipIf(reason !== undefined)('a run on Trino that another process takes over', () => {
  let server: TrinoServer
  let folder: string
  let assay: AssayProcess | undefined
  const { good, crawled } = sourceCalls(() => assay ?? expect.fail('Assay does not run.'))

  /** Runs a statement without the product's client, and returns its rows. */
  async function rowsOf(statement: string): Promise<unknown[][]> {
    const headers = { 'x-trino-user': 'admin', 'x-trino-source': 'test' }
    const url = `http://127.0.0.1:${server.port}/v1/statement`
    const rows: unknown[][] = []
    let answer = await fetch(url, { method: 'POST', headers, body: statement })
    for (;;) {
      const { nextUri, data = [], error } = part.parse(await answer.json())
      if (error) throw new Error(error.message)
      rows.push(...data)
      if (!nextUri) return rows
      answer = await fetch(nextUri, { headers })
    }
  }
  /** The queries over all rows of the table. */
  const scans = async () =>
    (
      await rowsOf(`SELECT state, error_code FROM system.runtime.queries WHERE source = 'assay' AND query LIKE '%"default"."orders"%'
        AND query LIKE 'SELECT count(*)%' AND query NOT LIKE '%LIMIT 0' ORDER BY created`)
    ).map((row) => row.join(' ').trim())

  /** How often the runs have noted a statement so far. */
  function notes(): number {
    const log = new DatabaseSync(join(folder, 'data', 'assay.db'), { readOnly: true })
    try {
      return Number(log.prepare("SELECT count(*) AS n FROM event WHERE type = 'ExecutionStatementNoted'").get()?.n)
    } finally {
      log.close()
    }
  }

  beforeAll(async () => {
    ;[server, folder] = await Promise.all([start({}), mkdtemp(join(tmpdir(), 'assay-trino-takeover-'))])
    // 15,000,000 rows, which take the server a minute.
    await rowsOf('CREATE VIEW memory.default.orders AS SELECT * FROM tpch.sf10.orders')
    assay = await startAssay(join(folder, 'data'))
  }, 300_000)
  afterAll(async () => {
    await assay?.stop()
    await server?.stop()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  it('given a process that is killed during a long statement, when the next one takes over, then the statement ran once', async () => {
    const configuration = { url: `http://127.0.0.1:${server.port}`, user: 'assay', catalog: 'memory' }
    const { data: made } = await good('POST', `${api}/assemblies`, { name: 'lake', sourceType: 'TRINO', configuration })
    expect(await crawled(made.id)).toMatchObject({ status: 'SUCCESSFUL' })
    const { data: orders } = await good('GET', `${api}/assets/byUid/lake.memory.default.orders`)
    const policy = await good('POST', `${api}/rules/data-quality`, {
      rule: { name: 'orders are complete', backingAsset: { tableAssetId: orders.id } },
      items: [
        { name: 'clerk', measurementType: 'MISSING_VALUES', columnName: 'clerk' },
        { name: 'total', measurementType: 'RANGE_MATCH', columnName: 'totalprice', value: { min: '0' } },
        { name: 'words', measurementType: 'REGEX_MATCH', columnName: 'comment', value: { pattern: '.*[a-z].*' } },
      ],
    })
    const { execution } = await good('POST', `${api}/rules/data-quality/${policy.rule.id}/executions`, {})
    // The first note is for cancelling only.
    await expect.poll(notes, { timeout: 120_000, interval: 250 }).toBeGreaterThan(1)
    await assay?.stop('SIGKILL')
    assay = await startAssay(join(folder, 'data'))
    const { json } = await assay.until(
      `${api}/rules/data-quality/executions/${execution.id}/result`,
      ({ status, json: result }) => status === 200 && result.execution.executionStatus !== 'RUNNING',
      900_000,
      500,
    )
    expect(itemCounts(json)).toEqual(Array(3).fill([15_000_000, 0]))
    expect(await scans()).toEqual(['FINISHED'])
  }, 1_200_000)
})
