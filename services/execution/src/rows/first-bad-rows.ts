import { executionKinds } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { FirstBadRows } from '@assay/hosting/ports'
import { isAssayError } from '@assay/service-kit/errors'
import { executions } from '../execution/execution.documents.ts'
import { itemRecordsOf } from '../reading/item-records.ts'
import { worstFirst } from '../reading/worst-first.ts'
import type { Versions } from '../versions/versions.ts'
import type { Viewer } from './mask.ts'
import type { RowPages } from './row-pages.ts'
import { maxRows, shortRows } from './short-rows.ts'
import { storedRows } from './stored-rows.ts'
import type { VisibleRowsFor } from './visible-rows.ts'

/** Reasons why a caller gets no rows: none are stored, they are past their retention, or the caller may not read them. */
const isRefusal = (error: unknown): boolean =>
  isAssayError(error, 'unprocessable') || isAssayError(error, 'forbidden') || isAssayError(error, 'not-found')

/** Reads the rows that texts for people show. They are those of the worst item that has rows and that the user may see. */
export function createFirstBadRows(deps: {
  documents: Documents
  versions: Versions
  visibleRows: VisibleRowsFor
  pages: RowPages
}): FirstBadRows {
  const { documents, versions, visibleRows, pages } = deps

  const find: FirstBadRows = async ({ tenant, user, permissions, executionId, signal }) => {
    const call: Viewer = { identity: { tenant, user, permissions, accessKey: '' }, seen: new Map(), signal }
    const stored = await documents.get(executions, tenant, executionId)
    if (stored === undefined) return undefined
    const { permissions: needed } = executionKinds[stored.document.run.policy.type].rows
    if (!needed.every((permission) => permissions.has(permission))) return undefined
    const kept = storedRows(stored.document, 'bad')
    const state = await versions.of(tenant, stored.document)
    if (state.status !== 'succeeded') return undefined
    const visible = await visibleRows(call, state, { category: 'bad' })
    const { shownItems } = visible
    const [worst] = worstFirst(state.result.outcomes).filter(
      ({ itemId, rowsFailed }) => (rowsFailed ?? 0) > 0 && shownItems?.includes(itemId) !== false,
    )
    if (worst === undefined) return undefined
    const { itemId } = worst
    const page = await pages.read(call, kept, { visible, itemId, page: 0, size: maxRows })
    if (page.rows.length === 0) return undefined
    const { run, result } = state
    const ofItem = <T extends { itemId: number | null }>(all: readonly T[] = []) =>
      all.filter((one) => one.itemId === itemId)
    // An item that only counts values does not depend on them, so its column is not among its reads.
    const judged = ofItem(result.judged).flatMap(({ columnName }) => columnName ?? [])
    const read = ofItem(run.definition.reads(run.itemSelection)).flatMap(({ columns }) => columns)
    const name = itemRecordsOf(state).results.find(({ ruleItemId }) => ruleItemId === itemId)?.name
    return shortRows({ name: name ?? run.policy.name, telling: [...judged, ...read], kept, ...page })
  }

  return async (asked) => {
    try {
      return await find(asked)
    } catch (error) {
      if (isRefusal(error)) return undefined
      throw error
    }
  }
}
