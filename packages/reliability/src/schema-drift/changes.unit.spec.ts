import { noContent, parseType, sketchOf } from '@assay/data-engine'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changesBetween, type FoundChange } from './changes.ts'
import type { SchemaColumn } from './schema.ts'
import { typeChange } from './widening.ts'

const hashes = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => (from + index).toString(16).padStart(8, '0'))
/** A column; those with the same `values` hold the same ones. */
const column = (name: string, dataType = 'BIGINT', values = 0, nullable: boolean | null = true): SchemaColumn => ({
  name,
  dataType,
  nullable,
  content: values === 0 ? noContent : sketchOf(hashes(values * 1_000_000, 50)),
})
const found = (before: SchemaColumn[], after: SchemaColumn[]) =>
  changesBetween(before, after).map(({ kind, name, from, to }) => [kind, name, from, to])

describe('changes of a schema', () => {
  it('given each kind of change, then it is named, and nothing else is', () => {
    const before = [
      column('id', 'BIGINT', 1, false),
      column('amount', 'INTEGER', 2),
      column('gone', 'DATE', 3),
      column('mail', 'VARCHAR', 4),
      column('note', 'VARCHAR', 5),
      column('price', 'DOUBLE', 6),
    ]
    const after = [
      column('note', 'VARCHAR', 5),
      column('id', 'BIGINT', 1, true),
      column('amount', 'BIGINT', 2),
      column('email', 'VARCHAR', 4),
      column('price', 'VARCHAR', 6),
      column('fresh', 'BOOLEAN', 7),
    ]
    expect(found(before, after)).toEqual([
      ['REMOVED', 'gone', 'DATE', null],
      ['ORDER', 'note', '5', '1'],
      ['NULLABILITY', 'id', 'NOT NULL', 'NULL'],
      ['TYPE_WIDENED', 'amount', 'INTEGER', 'BIGINT'],
      ['RENAMED', 'email', 'mail', 'email'],
      ['TYPE_CHANGED', 'price', 'DOUBLE', 'VARCHAR'],
      ['ADDED', 'fresh', null, 'BOOLEAN'],
    ])
  })

  /** Shares `shared` of fifty values with content 1. */
  const like = (name: string, shared: number, dataType = 'BIGINT'): SchemaColumn => ({
    ...column(name, dataType),
    content: sketchOf([...hashes(1_000_000, shared), ...hashes(9_000_000, 50 - shared)]),
  })
  it.each<[string, SchemaColumn[], SchemaColumn[], boolean]>([
    ['half of the content at the same position', [column('a', 'BIGINT', 1)], [like('b', 34)], true],
    ['less of the content at the same position', [column('a', 'BIGINT', 1)], [like('b', 33)], false],
    ['the position alone', [column('a')], [column('b')], false],
    ['nearly all content elsewhere', [column('a', 'BIGINT', 1), column('z')], [column('z'), like('b', 48)], true],
    ['most content elsewhere', [column('a', 'BIGINT', 1), column('z')], [column('z'), like('b', 47)], false],
    ['the content in another type', [column('a', 'BIGINT', 1)], [like('b', 50, 'VARCHAR')], false],
  ])('given %s, then it is a rename or not', (_, before, after, isRename) => {
    const kinds = changesBetween(before, after).map(({ kind }) => kind)
    expect(kinds.includes('RENAMED')).toBe(isRename)
    expect(kinds.includes('ADDED')).toBe(!isRename)
  })

  it('given two flags with the same shares of two values, then one is the other at any position', () => {
    const flag = (name: string) => ({
      ...column(name, 'BOOLEAN'),
      content: sketchOf([...hashes(1, 1), ...hashes(2, 1)]),
    })
    const kinds = (after: SchemaColumn[]) => changesBetween([flag('a'), column('z')], after).map(({ kind }) => kind)
    expect(kinds([flag('b'), column('z')])).toEqual(['RENAMED'])
    expect(kinds([column('z'), flag('b')])).toContain('RENAMED')
  })

  it('given a column that takes the position of another, then the more similar one is renamed', () => {
    const before = [column('id'), like('net', 34), column('gross', 'BIGINT', 1)]
    expect(found(before, [column('id'), column('total', 'BIGINT', 1)])).toEqual([
      ['REMOVED', 'net', 'BIGINT', null],
      ['RENAMED', 'total', 'gross', 'total'],
    ])
  })

  it('given 1,000 columns that were renamed and moved, then each is found', () => {
    const columns = (prefix: string) =>
      Array.from({ length: 1_000 }, (_, index) => column(`${prefix}${index}`, 'BIGINT', index + 1))
    const kinds = changesBetween(columns('a'), columns('b').reverse()).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'RENAMED')).toHaveLength(1_000)
  })

  it('given a column whose neighbour is new, then its position is the same', () => {
    const before = [column('id'), column('a', 'BIGINT', 1)]
    const after = [column('new', 'DATE'), column('id'), like('b', 34)]
    expect(found(before, after)).toContainEqual(['RENAMED', 'b', 'a', 'b'])
  })

  const schema = fc.uniqueArray(
    fc.record({
      name: fc.constantFrom(...'abcdefgh'),
      dataType: fc.constantFrom('INTEGER', 'BIGINT', 'VARCHAR', 'DOUBLE'),
      nullable: fc.boolean(),
      values: fc.nat(4),
    }),
    { selector: ({ name }) => name },
  )
  const columnsOf = (drawn: { name: string; dataType: string; nullable: boolean; values: number }[]) =>
    drawn.map(({ name, dataType, nullable, values }) => column(name, dataType, values, nullable))

  it('given equal schemas, then there is no change', () => {
    fc.assert(
      fc.property(schema, (drawn) => {
        expect(found(columnsOf(drawn), columnsOf(drawn))).toEqual([])
      }),
    )
  })

  it('given any two schemas, then the changes applied to the old one give the new one', () => {
    fc.assert(
      fc.property(schema, schema, (drawn, other) => {
        const [before, after] = [columnsOf(drawn), columnsOf(other)]
        const changes = changesBetween(before, after)
        const bare = ({ name, dataType, nullable }: SchemaColumn) => [name, dataType, nullable]
        expect(applied(before, changes, after).map(bare)).toEqual(after.map(bare))
      }),
      { numRuns: 500 },
    )
  })
})

/** The old columns after the changes. Of added columns, `after` gives the place and nullability. */
function applied(before: SchemaColumn[], changes: readonly FoundChange[], after: SchemaColumn[]): SchemaColumn[] {
  const named = (kind: FoundChange['kind']) => changes.filter((change) => change.kind === kind)
  const removed = new Set(named('REMOVED').map(({ name }) => name))
  const renamed = new Map(named('RENAMED').map(({ from, to }) => [from, to]))
  const types = new Map(
    changes.flatMap(({ kind, name, to }) => (kind.startsWith('TYPE_') ? [[name, to] as const] : [])),
  )
  const nullable = new Map(named('NULLABILITY').map(({ name, to }) => [name, to === 'NULL']))
  const kept = before
    .filter(({ name }) => !removed.has(name))
    .map((one) => ({ ...one, name: renamed.get(one.name) ?? one.name }))
    .map((one) => ({
      ...one,
      dataType: types.get(one.name) ?? one.dataType,
      nullable: nullable.get(one.name) ?? one.nullable,
    }))
  const added = named('ADDED').map(({ name, to }) => {
    const place = after.findIndex((one) => one.name === name)
    return { place, column: { name, dataType: to ?? '', nullable: after[place]?.nullable ?? null } }
  })
  const moved = named('ORDER').map(({ name, to }) => ({
    place: Number(to) - 1,
    column: kept.find((one) => one.name === name),
  }))
  const placed = new Map([...added, ...moved].map(({ place, column }) => [place, column]))
  const movedNames = new Set(named('ORDER').map(({ name }) => name))
  const rest = kept.filter(({ name }) => !movedNames.has(name)).values()
  const places = Array.from({ length: kept.length + added.length }, (_, place) => place)
  return places.flatMap((place) => placed.get(place) ?? rest.next().value ?? [])
}

describe('a change of a type', () => {
  it.each([
    ['INTEGER', 'BIGINT', 'TYPE_WIDENED'],
    ['UTINYINT', 'SMALLINT', 'TYPE_WIDENED'],
    ['TINYINT', 'UTINYINT', 'TYPE_CHANGED'],
    ['BIGINT', 'DOUBLE', 'TYPE_WIDENED'],
    ['BIGINT', 'DECIMAL(19,0)', 'TYPE_WIDENED'],
    ['BIGINT', 'DECIMAL(19,2)', 'TYPE_CHANGED'],
    ['DECIMAL(10,2)', 'DECIMAL(12,4)', 'TYPE_WIDENED'],
    ['DECIMAL(10,2)', 'DECIMAL(10,4)', 'TYPE_CHANGED'],
    ['DECIMAL(10,2)', 'DOUBLE', 'TYPE_CHANGED'],
    ['FLOAT', 'DOUBLE', 'TYPE_WIDENED'],
    ['DATE', 'TIMESTAMP', 'TYPE_WIDENED'],
    ['TIMESTAMP', 'TIMESTAMP WITH TIME ZONE', 'TYPE_CHANGED'],
    ['TIMESTAMP_S', 'TIMESTAMP_NS', 'TYPE_WIDENED'],
    ["ENUM('a')", "ENUM('a', 'b')", 'TYPE_WIDENED'],
    ["ENUM('a')", 'VARCHAR', 'TYPE_WIDENED'],
    ['BIGINT', 'VARCHAR', 'TYPE_CHANGED'],
    ['BIGINT[]', 'DOUBLE[]', 'TYPE_WIDENED'],
    ['STRUCT(a INTEGER)', 'STRUCT(a BIGINT, b DATE)', 'TYPE_WIDENED'],
    ['STRUCT(a INTEGER, b DATE)', 'STRUCT(a INTEGER)', 'TYPE_NARROWED'],
    ['int8', 'BIGINT', null],
  ])('from %s to %s is %s, and back it is the reverse', (from, to, change) => {
    expect(typeChange(parseType(from), parseType(to))).toBe(change)
    const reverse = { TYPE_WIDENED: 'TYPE_NARROWED', TYPE_NARROWED: 'TYPE_WIDENED', TYPE_CHANGED: 'TYPE_CHANGED' }
    const back = change === null ? null : Reflect.get(reverse, change)
    expect(typeChange(parseType(to), parseType(from))).toBe(back)
  })
})
