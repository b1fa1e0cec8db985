import { type Asking, type Condition, type Documents, findPageInParts, PageTooLarge } from '@assay/documents'
import type { Caller } from '@assay/service-kit'
import { executions } from '../execution/execution.documents.ts'
import { carefulPage, type Found } from '../listing/careful-page.ts'
import type { Paging } from '../listing/policy-pages.ts'
import { createTurns } from '../running/in-slices.ts'
import type { ShownExecution, ShownRuns } from './masked-outcomes.ts'
import { shownResultStatusOf } from './shown-status.ts'

/** Maximum length of the rows of an answer. A run of a policy with 2,000 figures has about a million characters. */
const maxAnswerLength = 64_000_000

interface ShownRow {
  resultStatus: string
  text(): string
}

/** Its record is encoded now, so that only the text stays in memory. */
function encodedRow(state: ShownExecution, recordOf: (state: ShownExecution) => object): ShownRow & { length: number } {
  const text = JSON.stringify(recordOf(state))
  return { resultStatus: shownResultStatusOf(state), text: () => text, length: text.length }
}

/** A row of many, most of which are not on the page. */
function searchedRow(
  state: ShownExecution,
  recordOf: (state: ShownExecution) => object,
): ShownRow & { length: number } {
  return { resultStatus: shownResultStatusOf(state), text: () => JSON.stringify(recordOf(state)), length: 0 }
}

/**
 * The answer with a page of runs as the caller may see them: the record of each. The documents of a page may be large,
 * so they are read in parts, and other work gets its turn between rows. Throws `invalid` if the answer is too large.
 */
export async function shownPage(
  { documents, shownRuns }: { documents: Pick<Documents, 'find'>; shownRuns: ShownRuns },
  call: Caller & Asking,
  query: Paging & { resultStatus?: readonly string[] | undefined },
  { where, recordOf }: { where: readonly Condition[]; recordOf: (state: ShownExecution) => object },
): Promise<{ text: string }> {
  const takeTurns = createTurns()
  const read = async ({ page, size, sortBy }: Paging, { isPart }: { isPart: boolean }): Promise<Found<ShownRow>> => {
    const asking = { listing: call.listing, signal: call.signal, isPart }
    const sort = [sortBy ?? { field: 'startedAt', direction: 'desc' as const }]
    const asked = { tenant: call.identity.tenant, where, sort, page, size }
    const rows: ShownRow[] = []
    let [count, length] = [0, 0]
    for await (const found of findPageInParts(documents, asking, executions, asked)) {
      for (const state of await shownRuns.all(call, found.documents)) {
        const row = isPart ? searchedRow(state, recordOf) : encodedRow(state, recordOf)
        length += row.length
        if (length > maxAnswerLength && rows.length > 0) throw new PageTooLarge(rows.length)
        rows.push(row)
        await takeTurns(call.signal)
      }
      count = found.count
    }
    return { rows, count }
  }
  const statusOf = ({ resultStatus }: ShownRow) => resultStatus
  const { rows, count } = await carefulPage({ documents, read, statusOf }, call, query)
  const meta = JSON.stringify({ count, page: query.page, size: query.size })
  return { text: `{"executions":[${rows.map(({ text }) => text()).join(',')}],"meta":${meta}}` }
}
