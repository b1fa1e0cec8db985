import { expect, it } from 'vitest'
import { policyFixture, runFixture, tableFixture } from '../testing/fixtures.ts'
import { windowOf } from './run-window.ts'

const columns = tableFixture().columns
const [side] = runFixture().sides
const of = (assetDirection: 'LEFT' | 'RIGHT' | null, assetId: number, idColumnName = 'order_id') => {
  const tableOf = (name: 'LEFT' | 'RIGHT', id: number) => ({ ...side, side: name, assetId: id, columns })
  const tables = [tableOf('LEFT', 11), tableOf('RIGHT', 30)] as const
  const known = runFixture({ executionType: 'SELECTIVE' }, policyFixture())
  const markerConfig = { type: 'bound' as const, idColumnName, fromId: 2, toId: 4 }
  const markerConfigs = [{ assetId, assetDirection, markerConfig }]
  const run = { ...known, tables, markerConfigs }
  return tables.map((table) => windowOf(run, table, { dataset: null, mark: null }) !== undefined)
}

it('given a SELECTIVE run on two tables, then only the side of its marker is read in part', () => {
  expect(of(null, 30)).toEqual([false, true])
  expect(of('LEFT', 11)).toEqual([true, false])
})

it('given a direction that is not the side of the asset, then it is refused with the field', () => {
  expect(() => of('RIGHT', 11)).toThrow(/^markerConfigs\[0\]\.assetDirection: the asset 11 is not the RIGHT side/)
})

it('given a misspelt column, then the sentence ends with its suggestion', () => {
  expect(() => of('LEFT', 11, 'ordre_id')).toThrow(/no column 'ordre_id'; did you mean 'order_id'\?$/)
})
