import { describe, expect, it } from 'vitest'
import type { ShownExecution } from '../reading/masked-outcomes.ts'
import { runFixture } from '../testing/fixtures.ts'
import { type HintFacts, hintsOf } from './hints.ts'
import type { Incident } from './incident.ts'

const time = (minute: number) => `2026-11-20T10:${String(minute).padStart(2, '0')}:00.000Z`
const incident = (id: number, opened: number, assetId = 11): Incident => ({
  ...{ id, policyName: `p${id}`, assets: [{ id: assetId, uid: `a${assetId}` }], verdict: 'ERRORED' },
  ...{ openedAt: time(opened), lastAt: time(opened), count: 1, executions: [id], lastGood: 1 },
  ...{ acknowledged: null, snoozedUntil: null, assignee: null, recovered: null, closed: null },
})

type Run = ReturnType<typeof runFixture>
type Columns = Run['tables'][0]['columns']
function ended(
  rowsScanned: number,
  minute: number,
  changes: { columns?: Columns; version?: number; lines?: number; files?: number } = {},
) {
  const run = runFixture({ startedAt: time(minute) })
  const [table] = run.tables
  const { columns = table.columns, version = 3, lines = 0, files } = changes
  const ofFiles = files === undefined ? {} : { files }
  const warnings = { total: lines, first: [] }
  const side = { side: 'ONE' as const, rowsScanned, mark: null, warnings, engineMs: 1, touched: [], ...ofFiles }
  const state: ShownExecution = {
    status: 'succeeded',
    run: { ...run, policy: { ...run.policy, version }, tables: [{ ...table, columns }] },
    finishedAt: time(minute),
    result: {
      ...{ outcomes: [], qualityScore: null, verdict: 'ERRORED', scoreError: null, markKey: null, sides: [side] },
      files: { root: 'r', metadata: { key: 'm', file: 'f' }, bad: null, good: null },
    },
  }
  return state
}
const facts = (changes: Partial<HintFacts> = {}): HintFacts => ({
  ...{ opening: ended(1_000, 30), good: ended(1_000, 10), upstream: new Set(), tables: [], files: [], incidents: [] },
  ...changes,
})
const shown = (changes: Partial<HintFacts>) =>
  hintsOf(incident(5, 30), facts(changes)).map(({ kind, relation, assetId, text }) => [kind, relation, assetId, text])

describe('the hints of an incident', () => {
  const [id, amount] = runFixture().tables[0].columns
  if (id === undefined || amount === undefined) throw new Error('The fixture must have two columns.')

  it('given the same table, rows, lines and policy as in the last successful run, then there are none', () => {
    expect(shown({})).toEqual([])
    expect(shown({ opening: ended(1_099, 30) })).toEqual([])
    expect(shown({ good: undefined, opening: ended(5, 30, { lines: 9 }) })).toEqual([])
  })
  it('given other columns, rows, lines and another policy version, then each is named', () => {
    const columns = [
      { ...amount, dataType: 'VARCHAR' },
      { ...id, id: 99, name: 'region' },
    ]
    expect(shown({ opening: ended(12_500, 30, { columns, version: 4, lines: 3 }) })).toEqual([
      ['SCHEMA_CHANGED', 'SAME', 11, 'added region; removed order_id; amount is VARCHAR, was DOUBLE.'],
      ['VOLUME_CHANGED', 'SAME', 11, '12,500 rows were read; 1,000 in the last successful run.'],
      ['LINES_CHANGED', 'SAME', 11, '3 lines are irregular; 0 in the last successful run.'],
      ['POLICY_CHANGED', 'SAME', 11, 'The policy is at version 4; its last successful run used version 3.'],
    ])
  })
  it('given another number of files, then it is named, unless it was not known before', () => {
    const [good, opening] = [ended(1_000, 10, { files: 30 }), ended(1_000, 30, { files: 31 })]
    expect(shown({ good, opening })).toEqual([
      ['FILES_CHANGED', 'SAME', 11, '31 files; 30 in the last successful run.'],
    ])
    expect(shown({ good: ended(1_000, 10, { files: 31 }), opening })).toEqual([])
    expect(shown({ opening })).toEqual([])
  })
  it('given numbers of rows that are hidden from the caller, then they are not a hint', () => {
    const good = { ...ended(1, 10), hidden: { items: new Set<number>(), rows: true } }
    expect(shown({ good })).toEqual([])
  })
  it('given a change of the own columns and no successful run, then it is a hint if it came within a day before', () => {
    const changed = (schemaChangedAt: string) => [{ assetId: 11, uid: 'a11', assemblyId: 3, schemaChangedAt }]
    expect(shown({ good: undefined, tables: changed(time(20)) })).toEqual([
      ['SCHEMA_CHANGED', 'SAME', 11, 'The columns of a11 changed.'],
    ])
    expect(shown({ good: undefined, tables: changed('2026-11-19T10:00:00.000Z') })).toEqual([])
    expect(shown({ tables: changed(time(20)) })).toEqual([])
  })
  it('given tables that changed meanwhile, then those upstream and in the assembly are hints', () => {
    const changed = (assetId: number, minute: number, assemblyId: number) => ({
      ...{ assetId, uid: `a${assetId}`, assemblyId, schemaChangedAt: time(minute) },
    })
    const tables = [changed(11, 20, 2), changed(12, 20, 2), changed(13, 20, 7), changed(14, 20, 7), changed(15, 9, 2)]
    expect(shown({ tables, upstream: new Set([13]) })).toEqual([
      ['SCHEMA_CHANGED', 'ASSEMBLY', 12, 'The columns of a12 changed.'],
      ['SCHEMA_CHANGED', 'UPSTREAM', 13, 'The columns of a13 changed.'],
    ])
  })
  it('given files of tables upstream that changed meanwhile, then they are hints', () => {
    const changed = (assetId: number, minute: number) => ({ assetId, uid: `a${assetId}`, changedAt: time(minute) })
    const files = [changed(13, 20), changed(14, 20), changed(15, 9), changed(16, 40)]
    expect(shown({ files, upstream: new Set([13, 15, 16]) })).toEqual([
      ['FILES_CHANGED', 'UPSTREAM', 13, 'The files of a13 changed.'],
    ])
  })
  it('given other incidents that opened meanwhile, then those on its table and upstream are hints', () => {
    const incidents = [incident(5, 30), incident(6, 20), incident(7, 20, 13), incident(8, 20, 14), incident(9, 9)]
    expect(shown({ incidents, upstream: new Set([13]) })).toEqual([
      ['OTHER_INCIDENT', 'SAME', 11, 'Incident 6 of the policy "p6" opened on a11.'],
      ['OTHER_INCIDENT', 'UPSTREAM', 13, 'Incident 7 of the policy "p7" opened on a13.'],
    ])
  })
})
