import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { placeOf, placesBelow } from './place.ts'

const name = fc.oneof(fc.string({ minLength: 1, maxLength: 3 }), fc.constantFrom('a', 'a.b', 'a"', 'c:a', '[', ','))
const names = fc.array(name, { minLength: 1, maxLength: 4 })
const isBelow = (place: string, ancestor: string) => place.startsWith(placesBelow(ancestor))

describe('the place of an asset', () => {
  it('is below a folder exactly when the names above it are those of the folder', () => {
    fc.assert(
      fc.property(names, names, ([...folder], [...table]) => {
        const lies = folder.length < table.length && folder.every((part, at) => part === table[at])
        const place = placeOf(['table', ...table])
        expect(isBelow(place, placeOf(['container', ...folder]))).toBe(lies)
        expect(isBelow(placeOf(['table', ...table], ['x']), placeOf(['container', ...folder]))).toBe(lies)
      }),
    )
  })

  it('distinguishes a folder, a set of files and a view of one name', () => {
    const column = placeOf(['table', 'sales', 'a'], ['id'])
    expect(isBelow(column, placeOf(['table', 'sales', 'a']))).toBe(true)
    expect(isBelow(column, placeOf(['container', 'sales', 'a']))).toBe(false)
    expect(isBelow(column, placeOf(['sql-view', 'sales', 'a']))).toBe(false)
    expect(isBelow(column, column)).toBe(false)
    expect(isBelow(placeOf(['table', 'sales', 'a.b']), placeOf(['container', 'sales', 'a']))).toBe(false)
  })

  it('given leaves of a column, then they are below it', () => {
    const path = ['table', 'sales', 'a']
    expect(isBelow(placeOf(path, ['s', 'x']), placeOf(path, ['s']))).toBe(true)
    expect(isBelow(placeOf(path, ['sx']), placeOf(path, ['s']))).toBe(false)
  })
})
