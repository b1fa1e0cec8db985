import { appendFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { MeasurePlan, Window } from '../../plan.ts'
import type { Measured } from '../../port.ts'
import { type DiscoveredTable, type Fixture, openFixture } from '../sources/fixture.ts'
import { measure } from './measure.ts'

let fixture: Fixture
let table: DiscoveredTable
let path: string
const rows = Array.from({ length: 1000 }, (_, n) => `${n},x\n`).join('')
beforeEach(async () => {
  fixture = await openFixture()
  path = join(fixture.folder, 'rows.csv')
  await writeFile(path, `n,t\n${rows}`)
  const [found] = await fixture.tables({ sourceType: 'FILE', path: fixture.folder })
  if (found === undefined) throw new Error('the file was not found')
  table = found
})
afterEach(() => fixture.close())

/** Measures, and does something to the file when it is mounted and about to be read. */
async function measured(whenMounted: () => void, window?: Window): Promise<Measured> {
  const outputFolder = join(fixture.context.tempFolder, 'out')
  await mkdir(outputFolder, { recursive: true })
  const plan: MeasurePlan = {
    dataset: table.locator,
    metrics: [
      { kind: 'rows', id: 1, predicate: { kind: 'missing', column: 't', blankToo: false } },
      { kind: 'aggregate', id: 2, fn: 'SUM', column: 'n' },
    ],
    rows: { bad: { format: 'PARQUET', limit: null }, good: null, preview: 10 },
    limits: { timeoutMs: 120_000, memoryMb: 256, threads: 1, maxTempMb: 256 },
    ...(window === undefined ? {} : { window }),
  }
  const instance = await DuckDBInstance.create(':memory:')
  try {
    return await measure(
      {
        instance,
        limits: plan.limits,
        tempFolder: fixture.context.tempFolder,
        signal: new AbortController().signal,
        progress: ({ stage }) => stage === 'MEASURING' && whenMounted(),
        startedAt: Date.now(),
        startedTick: performance.now(),
        onConnection: () => undefined,
      },
      plan,
      outputFolder,
    )
  } finally {
    instance.closeSync()
  }
}

describe('given a file that is being written while a run reads it', () => {
  it.each([
    ['grows', () => appendFileSync(path, '1000,\n1001,\n')],
    ['is cut', () => truncateSync(path, 1000)],
    [
      'is replaced',
      () => {
        writeFileSync(`${path}.new`, `n,t\n${rows.replaceAll('x', 'y')}`)
        renameSync(`${path}.new`, path)
      },
    ],
  ])('when it %s then the run ends with that reason, not with figures of two states', async (_, change) => {
    await expect(measured(change)).rejects.toMatchObject({
      code: 'unprocessable',
      message: 'rows.csv changed while it was being read: run it again.',
    })
  })

  it('when nothing happens to it then it is measured', async () => {
    expect((await measured(() => undefined)).rowsScanned).toBe(1000)
  })

  it('when it grows above the mark of a window then the rows before are measured', async () => {
    const window: Window = { kind: 'column', column: 'n', inclusive: false, follow: true }
    const { rowsScanned, reached, metrics } = await measured(() => appendFileSync(path, '1000,\n1001,\n'), window)
    expect({ rowsScanned, reached, failed: metrics[0] }).toEqual({
      rowsScanned: 1000,
      reached: '999',
      failed: { id: 1, kind: 'rows', scanned: 1000, failed: 0 },
    })
  })

  it('when it is cut then a window is no reason to go on', async () => {
    const window: Window = { kind: 'column', column: 'n', inclusive: false, follow: true }
    await expect(measured(() => truncateSync(path, 1000), window)).rejects.toMatchObject({ code: 'unprocessable' })
  })
})
