import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { descendantPrefix, hierarchyPathOf } from './hierarchy-path.ts'

const name = fc.oneof(fc.string({ minLength: 1, maxLength: 3 }), fc.constantFrom('a', 'a.b', 'a"', 'c:a', '[', ','))
const names = fc.array(name, { minLength: 1, maxLength: 4 })
const isBelow = (path: string, ancestor: string) => path.startsWith(descendantPrefix(ancestor))

describe('hierarchy paths', () => {
  it('given a folder and a table, then the table is below the folder exactly if its path starts with the path of the folder', () => {
    fc.assert(
      fc.property(names, names, ([...folder], [...table]) => {
        const lies = folder.length < table.length && folder.every((part, at) => part === table[at])
        const path = hierarchyPathOf(['table', ...table])
        expect(isBelow(path, hierarchyPathOf(['container', ...folder]))).toBe(lies)
        expect(isBelow(hierarchyPathOf(['table', ...table], ['x']), hierarchyPathOf(['container', ...folder]))).toBe(
          lies,
        )
      }),
    )
  })

  it('given a folder, a set of files and a view with the same name, then their paths differ', () => {
    const column = hierarchyPathOf(['table', 'sales', 'a'], ['id'])
    expect(isBelow(column, hierarchyPathOf(['table', 'sales', 'a']))).toBe(true)
    expect(isBelow(column, hierarchyPathOf(['container', 'sales', 'a']))).toBe(false)
    expect(isBelow(column, hierarchyPathOf(['sql-view', 'sales', 'a']))).toBe(false)
    expect(isBelow(column, column)).toBe(false)
    expect(isBelow(hierarchyPathOf(['table', 'sales', 'a.b']), hierarchyPathOf(['container', 'sales', 'a']))).toBe(
      false,
    )
  })

  it('given a STRUCT column, then its leaves are below it', () => {
    const path = ['table', 'sales', 'a']
    expect(isBelow(hierarchyPathOf(path, ['s', 'x']), hierarchyPathOf(path, ['s']))).toBe(true)
    expect(isBelow(hierarchyPathOf(path, ['sx']), hierarchyPathOf(path, ['s']))).toBe(false)
  })
})
