import type { Documents } from '@assay/documents'
import { AssayError } from '@assay/service-kit/errors'
import { isAnyProtected } from '../references/tags.ts'
import type { Viewer } from '../rows/mask.ts'
import type { Paging } from './policy-pages.ts'

export interface Found<Row> {
  rows: Row[]
  count: number
}

/** Reads a page for the answer or, with `isPart`, a chunk of the rows to search. */
export type ReadRows<Row> = (paging: Paging, asked: { isPart: boolean }) => Promise<Found<Row>>

/** Maximum number of rows per read: each row is a whole run. */
const readAtOnce = 50
const maxRead = 5_000

/** Whether the rows or their order could reveal verdicts that are hidden from the caller. */
async function asksForHidden(
  documents: Pick<Documents, 'find'>,
  { permissions, tenant }: Viewer['identity'],
  { resultStatus = [], sortBy }: Paging & { resultStatus?: readonly string[] | undefined },
): Promise<boolean> {
  if (permissions.has('ASSET_PROTECTED_VIEW')) return false
  if (resultStatus.length === 0 && sortBy?.field !== 'resultStatus') return false
  return isAnyProtected(documents, tenant)
}

/**
 * A page of a listing that may filter or sort by verdicts. Rows with a verdict that is hidden from the caller match no
 * filter, and come last in either order. `statusOf`: the verdict as the caller may see it. Throws `invalid` if there
 * are too many rows to check each.
 */
export async function carefulPage<Row>(
  deps: {
    documents: Pick<Documents, 'find'>
    read: ReadRows<Row>
    statusOf: (row: Row) => string | undefined
  },
  { identity }: Pick<Viewer, 'identity'>,
  query: Paging & { resultStatus?: readonly string[] | undefined },
): Promise<Found<Row>> {
  const { documents, read, statusOf } = deps
  const { page, size, sortBy, resultStatus = [] } = query
  if (!(await asksForHidden(documents, identity, query))) return read({ page, size, sortBy }, { isPart: false })
  const byVerdict = sortBy?.field === 'resultStatus'
  const order = byVerdict ? { field: 'id', direction: 'asc' as const } : sortBy
  const all: Row[] = []
  for (let at = 0; ; at += 1) {
    const found = await read({ page: at, size: readAtOnce, sortBy: order }, { isPart: true })
    if (found.count > maxRead)
      throw new AssayError(
        'invalid',
        `More than ${maxRead} rows match. Filtering or sorting so many by verdict requires ASSET_PROTECTED_VIEW; use more filters.`,
      )
    all.push(...found.rows)
    if ((at + 1) * readAtOnce >= found.count) break
  }
  const isHidden = (row: Row) => statusOf(row) === 'HIDDEN'
  const kept = resultStatus.length === 0 ? all : all.filter((row) => !isHidden(row))
  const sign = sortBy?.direction === 'desc' ? -1 : 1
  const compared = (one: Row, other: Row) => {
    if (isHidden(one) || isHidden(other)) return Number(isHidden(one)) - Number(isHidden(other))
    const [a, b] = [statusOf(one) ?? '', statusOf(other) ?? '']
    return a === b ? 0 : a < b ? -sign : sign
  }
  const ordered = byVerdict ? kept.sort(compared) : kept
  return { rows: ordered.slice(page * size, (page + 1) * size), count: kept.length }
}
