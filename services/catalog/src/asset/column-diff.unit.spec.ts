import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { columnKey, diffColumns, type FoundColumn, flatColumns, isEmptyDiff, type KnownColumn } from './column-diff.ts'

const found = (name: string, dataType = 'VARCHAR', nullable = true): FoundColumn => ({
  path: name.split('/'),
  dataType,
  nullable,
})
const known = (id: number, name: string, more: Partial<KnownColumn> = {}): KnownColumn => ({
  ...found(name),
  id,
  isDeleted: false,
  ...more,
})
const nothing = { added: [], returned: [], changed: [], removed: [], reordered: false }

describe('diffColumns', () => {
  it.each([
    ['no columns', [], [], nothing],
    ['the same columns', [known(1, 'a')], [found('a')], nothing],
    ['a new column', [known(1, 'a')], [found('a'), found('b')], { ...nothing, added: [found('b')] }],
    ['a new column in front', [known(1, 'a')], [found('b'), found('a')], { ...nothing, added: [found('b')] }],
    ['a missing column', [known(1, 'a'), known(2, 'b')], [found('b')], { ...nothing, removed: [1] }],
    ['a removed column that is still missing', [known(1, 'a', { isDeleted: true })], [], nothing],
    [
      'a removed column that returned',
      [known(1, 'a', { isDeleted: true })],
      [found('a', 'BIGINT')],
      { ...nothing, returned: [{ id: 1, dataType: 'BIGINT', nullable: true }] },
    ],
    [
      'another type',
      [known(1, 'a')],
      [found('a', 'BIGINT')],
      {
        ...nothing,
        changed: [{ id: 1, dataType: 'BIGINT', nullable: true, was: { dataType: 'VARCHAR', nullable: true } }],
      },
    ],
    [
      'no longer nullable',
      [known(1, 'a')],
      [found('a', 'VARCHAR', false)],
      {
        ...nothing,
        changed: [{ id: 1, dataType: 'VARCHAR', nullable: false, was: { dataType: 'VARCHAR', nullable: true } }],
      },
    ],
    ['another order', [known(1, 'a'), known(2, 'b')], [found('b'), found('a')], { ...nothing, reordered: true }],
    ['a name in another letter case', [known(1, 'a')], [found('A')], { ...nothing, added: [found('A')], removed: [1] }],
    ['a leaf and a column with a slash in its name', [known(1, 'a/b')], [found('a/b')], nothing],
  ] as const)('given %s, then the diff has exactly the changes', (_, before, now, expected) => {
    expect(diffColumns(before, now)).toEqual(expected)
  })

  it('law: added and removed columns are in one list only, so equal lists have no diff', () => {
    const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 12 })
    fc.assert(
      fc.property(names, names, (one, other) => {
        const before = one.map((name, index) => known(index + 1, 'x', { path: [name] }))
        const columns = (list: string[]) => list.map((name) => ({ path: [name], dataType: 'VARCHAR', nullable: true }))
        expect(isEmptyDiff(diffColumns(before, columns(one)))).toBe(true)
        const diff = diffColumns(before, columns(other))
        expect(diff.added.map(({ path }) => path[0])).toEqual(other.filter((name) => !one.includes(name)))
        expect(diff.removed).toEqual(before.filter(({ path }) => !other.includes(path[0] ?? '')).map(({ id }) => id))
      }),
    )
  })
})

describe('flatColumns', () => {
  it('puts each column before its leaves and counts a repeated name once', () => {
    const leaf = (name: string) => ({ name, dataType: 'VARCHAR', nullable: true, children: [] })
    const nested = { ...leaf('a'), children: [leaf('b'), { ...leaf('c'), children: [leaf('d')] }] }
    const flat = flatColumns([nested, leaf('e'), leaf('e')])
    expect(flat.map(({ path }) => columnKey(path))).toEqual(
      [['a'], ['a', 'b'], ['a', 'c'], ['a', 'c', 'd'], ['e']].map(columnKey),
    )
  })
})
