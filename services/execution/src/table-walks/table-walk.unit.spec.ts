import { describe, expect, it } from 'vitest'
import { decide, evolve, noWalk, type TableWalkCommand } from './table-walk.ts'

const of = { assemblyId: 2, at: '2026-11-20T10:05:00.000Z' }
const crawl = (hour: number) => ({
  ...{ begunAt: `2026-11-20T${hour}:00:00.000Z`, endedAt: `2026-11-20T${hour}:01:00.000Z`, revision: hour },
})
const walk = (hour: number): TableWalkCommand => ({ type: 'WalkTables', ...of, crawl: crawl(hour) })
const advance = (hour: number, above: number): TableWalkCommand => ({
  ...{ type: 'AdvanceTableWalk', ...of, endedAt: crawl(hour).endedAt, above },
})
const end = (hour: number): TableWalkCommand => ({ type: 'EndTableWalk', ...of, endedAt: crawl(hour).endedAt })
const after = (...commands: TableWalkCommand[]) =>
  commands.reduce((state, command) => decide(command, state).reduce(evolve, state), noWalk)
const typesOf = (command: TableWalkCommand, ...before: TableWalkCommand[]) =>
  decide(command, after(...before)).map(({ type }) => type)

describe('a walk through the tables of an assembly', () => {
  it('given a repeated message, or one of an earlier crawl, then it begins once', () => {
    expect(typesOf(walk(10), walk(11))).toEqual([])
    expect(typesOf(walk(11), walk(11))).toEqual([])
    expect(typesOf(walk(11), walk(11), end(11))).toEqual([])
    expect(typesOf(walk(12), walk(11), end(11))).toEqual(['TableWalkRequested'])
  })

  it('given crawls during a walk, then the walk goes on to its end, and then only the latest of them is walked', () => {
    const during = after(walk(10), advance(10, 500), walk(11), walk(12))
    expect(during).toMatchObject({ crawl: crawl(10), next: crawl(12), above: 500 })
    const next = [end(10)].flatMap((command) => decide(command, during)).reduce(evolve, during)
    expect(next).toMatchObject({ crawl: crawl(12), next: null, above: 0 })
  })

  it('given a replica that has lost the lease, then its late progress and its late end change nothing', () => {
    const state = [walk(10), advance(10, 1000)]
    expect(typesOf(advance(10, 500), ...state)).toEqual([])
    expect(typesOf(advance(9, 2000), ...state)).toEqual([])
    expect(typesOf(end(10), ...state, end(10), walk(11))).toEqual([])
  })
})
