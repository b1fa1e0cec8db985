import { describe, expect, it } from 'vitest'
import { type AssetEvent, type AssetState, evolveAsset, type Facts, initialAsset, liveColumns } from './asset.ts'
import type { FoundColumn } from './column-diff.ts'
import { decideAsset, type ObserveAsset } from './decide.ts'

const at = '2026-01-01T00:00:00.000Z'
const later = '2026-01-02T00:00:00.000Z'
const facts: Facts = {
  rowCount: 3,
  sizeBytes: 10,
  lastChangedAt: null,
  fileCount: 1,
  locator: {
    kind: 'table',
    engine: 'SQLITE',
    path: '/d.db',
    schema: 'main',
    table: 't',
    columns: [],
    fingerprint: 'f',
  },
}
const placement = { parentId: 9, assetTypeId: 4, assemblyId: 1, assemblyName: 's', sourceTypeId: 53 }
const col = (name: string, dataType = 'TEXT'): FoundColumn => ({ path: [name], dataType, nullable: true })

function observe(columns: FoundColumn[], more: Partial<ObserveAsset> = {}): ObserveAsset {
  const newColumns = columns.map((column, index) => ({ ...column, id: 11 + index, uid: `u${index}`, parentId: 10 }))
  const base = {
    type: 'ObserveAsset',
    at,
    assetId: 10,
    uid: 's.t',
    name: 't',
    naturalPath: ['table', 's', 't'],
  } as const
  return { ...base, naturalPath: [...base.naturalPath], placement, columns, newColumns, facts, ...more }
}
const after = (...commands: ObserveAsset[]): AssetState =>
  commands.reduce(
    (state, command) => decideAsset(command, state).reduce(evolveAsset, state),
    initialAsset as AssetState,
  )
const types = (events: readonly AssetEvent[]) => events.map(({ type }) => type)
const vanish = { type: 'VanishAsset', at: later, assemblyId: 1, reason: 'not-found-by-crawl' } as const

describe('an asset', () => {
  it('given no asset, when a crawl finds it, then it is discovered with all columns', () => {
    const events = decideAsset(observe([col('a')]), initialAsset)
    expect(types(events)).toEqual(['AssetDiscovered'])
    expect(after(observe([col('a')]))).toMatchObject({ status: 'live', id: 10, uid: 's.t', createdAt: at })
  })

  it('given an unchanged asset, when it is found again, then nothing happens, whatever the order of keys', () => {
    const { locator, ...rest } = facts
    expect(
      decideAsset(observe([col('a')], { facts: { locator, ...rest }, at: later }), after(observe([col('a')]))),
    ).toEqual([])
  })

  it('given an asset, when a crawl finds other facts, then the only event has these facts', () => {
    const events = decideAsset(observe([col('a')], { facts: { ...facts, rowCount: 4 } }), after(observe([col('a')])))
    expect(types(events)).toEqual(['AssetFactsObserved'])
  })

  it('given an added and a removed column, then the others keep their ids, and the order is that of the source', () => {
    const before = after(observe([col('a'), col('b')]))
    const newColumns = [{ ...col('c'), id: 20, uid: 'u', parentId: 10 }]
    const state = decideAsset(observe([col('c'), col('b')], { newColumns }), before).reduce(evolveAsset, before)
    if (state.status === 'absent') throw new Error('absent')
    expect(liveColumns(state).map(({ id, path }) => [id, path[0]])).toEqual([
      [20, 'c'],
      [12, 'b'],
    ])
    expect(state.columns.find(({ id }) => id === 11)).toMatchObject({ isDeleted: true })
  })

  it('given a vanished asset, when it is found again, then it returns with its ids', () => {
    const live = after(observe([col('a')]))
    const gone = decideAsset(vanish, live).reduce(evolveAsset, live)
    expect(gone).toMatchObject({ status: 'vanished', updatedAt: later })
    expect(decideAsset(vanish, gone)).toEqual([])
    expect(types(decideAsset(observe([col('a')]), gone))).toEqual(['AssetReturned'])
  })

  it('given an asset that has moved to another assembly, when its former assembly is deleted, then the asset stays', () => {
    const moved = after(observe([col('a')]), observe([col('a')], { placement: { ...placement, assemblyId: 2 } }))
    expect(moved).toMatchObject({ placement: { assemblyId: 2 } })
    expect(decideAsset({ ...vanish, reason: 'assembly-deleted' }, moved)).toEqual([])
  })

  it('given a new column without a reserved id, or the UID of another asset, then the command is refused', () => {
    const state = after(observe([col('a')]))
    expect(() => decideAsset(observe([col('z')], { newColumns: [] }), state)).toThrow('Crawl it again')
    expect(() => decideAsset(observe([col('a')], { naturalPath: ['table', 's', 'other'] }), state)).toThrow('UID')
  })

  it('given 2,500 columns, then several events share them, and none is lost', () => {
    const many = Array.from({ length: 2_500 }, (_, index) => col(`c${index}`))
    const events = decideAsset(observe(many), initialAsset)
    expect(types(events)).toEqual(['AssetDiscovered', 'AssetSchemaChanged', 'AssetSchemaChanged'])
    const state = events.reduce(evolveAsset, initialAsset as AssetState)
    if (state.status === 'absent') throw new Error('absent')
    expect(liveColumns(state).map(({ path }) => path[0])).toEqual(many.map(({ path }) => path[0]))
  })
})
