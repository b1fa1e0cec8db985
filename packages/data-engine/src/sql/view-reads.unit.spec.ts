import { describe, expect, it } from 'vitest'
import { definitionOf, type Entry, inReadingOrder } from './view-reads.ts'

/** `direct` by the view's name; `null` if unknown. */
function ordered(tables: string[], direct: { [view: string]: string[] | null }): string[] {
  const entries = [
    ...Object.keys(direct).map((name) => ({ name, assetType: 'VIEW' as const, definition: name })),
    ...tables.map((name) => ({ name, assetType: 'TABLE' as const, definition: '' })),
  ]
  const named = (names: string[]) => entries.filter(({ name }) => names.includes(name))
  const found = inReadingOrder(entries, ({ name }) => {
    const names = direct[name] ?? null
    return names === null ? null : named(names)
  })
  return found.map(({ entry, reads }) =>
    reads === undefined ? entry.name : `${entry.name}: ${reads.map(({ name }) => name).sort()}`,
  )
}

describe('the reads of views', () => {
  it('given views of views, then each comes after the tables and views that it reads, and lists them', () => {
    expect(ordered(['t', 'u'], { a: ['b', 'u'], b: ['c'], c: ['t'], d: [] })).toEqual([
      't',
      'u',
      'c: t',
      'b: c,t',
      'a: b,c,t,u',
      'd: ',
    ])
  })

  it('given a view with unknown reads, then it and the views on it read everything else', () => {
    expect(ordered(['t', 'u'], { a: ['b', 't'], b: null, c: ['t'] })).toEqual([
      't',
      'u',
      'b: a,c,t,u',
      'a: b,c,t,u',
      'c: t',
    ])
  })

  it('given a cycle, then all views in it read everything else', () => {
    expect(ordered(['t'], { a: ['b'], b: ['a'] })).toEqual(['t', 'b: a,t', 'a: b,t'])
  })

  it('given a view with unknown reads, then the hash covers only its own definition, and differs from that with known reads', () => {
    const t: Entry = { assetType: 'TABLE', definition: '' }
    const inner: Entry = { assetType: 'VIEW', definition: 'SELECT b' }
    const view: Entry = { assetType: 'VIEW', definition: 'SELECT a' }
    const all = [
      definitionOf(view, () => null),
      definitionOf(inner, () => null),
      definitionOf(view, () => []),
      definitionOf(view, () => [t]),
      definitionOf(view, (one) => (one === view ? [inner] : [t])),
    ]
    expect(new Set(all).size).toBe(all.length)
    expect(definitionOf(view, (one) => (one === view ? [inner] : null))).toBe(all[0])
  })
})
