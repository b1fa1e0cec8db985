import type { CatalogTable } from './catalog.ts'

const name = '`((?:[^`]|``)*)`'
const strings = /'(?:[^'\\]|\\.|'')*'/gs
const call = new RegExp(`${name}\\.${name}\\s*\\(`)
const source = new RegExp(`\\b(?:from|join)\\s*\\(*\\s*${name}\\.${name}`, 'gi')
const plain = (text = '') => text.replaceAll('``', '`')

/**
 * What a view reads directly, from its definition. Servers write all names in it in backticks, with their database.
 * `null` if the definition is not shown, if it calls a user-defined function, which may read anything, or if it reads a
 * table that is not in `tables`. Pure.
 */
export function directReads<T extends CatalogTable>(database: string, tables: readonly T[]) {
  const byName = new Map(tables.map((table) => [table.name, table]))
  return ({ definition }: T): T[] | null => {
    const text = definition.replaceAll(strings, "''")
    if (text === '' || call.test(text)) return null
    const found = [...text.matchAll(source)].map(([, schema, table]) =>
      plain(schema) === database ? byName.get(plain(table)) : undefined,
    )
    const known = found.flatMap((table) => table ?? [])
    return known.length === found.length ? [...new Set(known)] : null
  }
}
