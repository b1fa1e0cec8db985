import { AssayError } from '@assay/service-kit/errors'
import { fileDateColumn } from './periods.ts'

/**
 * Throws `unprocessable` if a table has columns that a plan for all columns does not name: they are newer than the last
 * crawl. Otherwise tables that differ in such a column would pass as equal.
 */
export function requireNoOthers(columns: readonly { name: string }[], named: readonly string[]): void {
  const others = columns.map(({ name }) => name).filter((name) => name !== fileDateColumn && !named.includes(name))
  if (others.length === 0) return
  const shown = others.slice(0, 3).map((name) => `"${name}"`)
  const more = others.length > shown.length ? ` and ${others.length - shown.length} more` : ''
  throw new AssayError(
    'unprocessable',
    `it has columns that the last crawl did not find: ${shown.join(', ')}${more}. Crawl its source again.`,
  )
}
