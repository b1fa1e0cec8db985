import { describe, expect, it } from 'vitest'
import type { ComparePlan } from './compare.ts'
import type { Comparer } from './compare-across.ts'
import type { DatasetLocator, TableLocator } from './dataset.ts'
import { nothingKnown } from './last-change.ts'
import type { DatabaseEngine, DataEngine, KeptRowFiles } from './port.ts'
import { createEngineRouter } from './router.ts'
import { noRows } from './row-sink.ts'
import { planFor } from './testing/plans.ts'

const { signal } = new AbortController()
const table = (kind: TableLocator['kind']): TableLocator => ({
  kind,
  engine: 'POSTGRESQL',
  columns: [],
  fingerprint: '',
})
const query = (...kinds: TableLocator['kind'][]): DatasetLocator => ({
  ...{ kind: 'query', sql: 'SELECT 1', columns: [], fingerprint: '' },
  tables: kinds.map((kind) => ({ name: kind, dataset: table(kind) })),
})

const comparison = (left: TableLocator['kind'], right: TableLocator['kind']): ComparePlan => ({
  left: { dataset: table(left) },
  right: { dataset: table(right) },
  columns: [{ left: 'a', right: 'a', isKey: true }],
  rows: null,
})

/** Engines that record their calls and do nothing. */
function recorded() {
  const calls: string[] = []
  const answering =
    <T>(what: string, answer: T) =>
    async (): Promise<T> => {
      calls.push(what)
      return answer
    }
  const prepared = { columns: [], filterError: null, metricErrors: [] }
  const warnings = { total: 0, first: [] }
  const measured = { rowsScanned: 0, metrics: [], bad: null, good: null, columns: [], warnings, elapsedMs: 0 }
  const side = { rows: 0, duplicateKeys: 0, nullKeys: 0, warnings, reached: null, touched: null }
  const taken = { ...{ rows: 0, reached: null, warnings, touched: null, columns: [] }, file: '', elapsedMs: 0 }
  const compared = {
    left: side,
    right: side,
    equal: 0,
    changed: 0,
    onlyLeft: 0,
    onlyRight: 0,
    warned: 0,
    columns: [],
    elapsedMs: 0,
  }
  const of = (name: string) => ({
    prepare: answering(`${name} prepare`, prepared),
    measure: answering(`${name} measure`, { ...measured, reached: null, touched: [] }),
    describe: answering(`${name} describe`, { columns: [], warnings, elapsedMs: 0 }),
    lastChange: answering(`${name} last change`, nothingKnown(0)),
    measurePeriods: answering(`${name} periods`, { periods: [], warnings, touched: [], elapsedMs: 0 }),
    take: answering(`${name} take`, taken),
    sample: answering(`${name} sample`, { fields: [], rows: [], warnings }),
    close: answering(`${name} close`, undefined),
  })
  const database: DatabaseEngine = {
    ...of('database'),
    probe: answering('database probe', { tables: 0, skipped: warnings }),
    discover: async function* () {},
  }
  const files: DataEngine & KeptRowFiles & Comparer = {
    ...of('files'),
    profileAcross: async () => expect.unreachable(),
    takeAcross: async () => expect.unreachable(),
    listValues: async () => expect.unreachable(),
    compareAcross: async (_plan, open, call) =>
      open(call, async (sides) => {
        calls.push(`files compare across: ${Object.keys(sides).join(' and ')}`)
        return { ...compared, differing: null, agreeing: null }
      }),
    compare: answering('files compare', { ...compared, differing: null, agreeing: null }),
    profile: answering('files profile', {
      rows: 0,
      columns: [],
      columnsLeftOut: 0,
      warnings,
      reached: null,
      elapsedMs: 0,
    }),
    touches: answering('files touches', []),
    probe: answering('files probe', { tables: 0, skipped: warnings }),
    rewrite: answering('files rewrite', null),
    discover: async function* () {},
    queues: () => [],
  }
  return { calls, router: createEngineRouter({ files, databases: { POSTGRESQL: database } }) }
}

describe('a router of engines', () => {
  it('given datasets of every kind, when called, then the engine of their locator answers', async () => {
    const { calls, router } = recorded()
    for (const dataset of [
      table('files'),
      table('table'),
      table('relation'),
      query('table'),
      query('relation'),
      query(),
    ])
      await router.measure(planFor(dataset, []), { rows: noRows, signal })
    await router.prepare({ dataset: table('relation'), metrics: [] }, { signal })
    await router.sample({ dataset: table('relation'), limit: 1 }, { signal })
    await router.describe({ dataset: table('relation') }, { signal })
    await router.lastChange({ dataset: table('relation') }, { signal })
    await router.profile({ dataset: table('files') }, { signal })
    await router.compare(comparison('files', 'table'), { rows: noRows, signal })
    const measures = ['files', 'files', 'database', 'files', 'database', 'files'].map((name) => `${name} measure`)
    const ofDatabase = ['database prepare', 'database sample', 'database describe', 'database last change']
    const others = [...ofDatabase, 'files profile', 'files compare']
    expect(calls).toEqual([...measures, ...others])
  })

  it('given a query over tables of several engines, when measured, then it is refused and no engine is called', async () => {
    const { calls, router } = recorded()
    const plan = planFor(query('files', 'relation'), [])
    await expect(router.measure(plan, { rows: noRows, signal })).rejects.toMatchObject({ code: 'unprocessable' })
    expect(calls).toEqual([])
  })

  it('given an operation that an engine does not support, when called, then the error says so', async () => {
    const { calls, router } = recorded()
    const dataset = table('relation')
    await expect(router.profile({ dataset }, { signal })).rejects.toMatchObject({ code: 'unprocessable' })
    for (const plan of [comparison('relation', 'relation'), comparison('files', 'relation')])
      await expect(router.compare(plan, { rows: noRows, signal })).rejects.toMatchObject({ code: 'unprocessable' })
    expect(calls).toEqual([])
  })

  it('given several engines, when the router is closed, then all engines are closed', async () => {
    const { calls, router } = recorded()
    await router.close()
    expect(calls).toEqual(['files close', 'database close'])
  })
})
