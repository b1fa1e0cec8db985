import { timedOut } from '../push-down/timed-out.ts'
import type { Answer, TrinoClient } from './client.ts'
import { isGone, requestFailure, statementFailure } from './failures.ts'
import type { Started, Tracked } from './started.ts'

/** Columns and rows of a result, in parts. Each part has the columns. `queryId`: the server's name of the statement. */
export interface ResultPart {
  queryId: string
  columns: NonNullable<Answer['columns']>
  rows: NonNullable<Answer['data']>
}

export interface StatementLimits {
  signal: AbortSignal
  timeoutMs: number
  /** The table in messages. */
  table: string | undefined
  /** Absent: nobody else may continue the statement. */
  started?: Started | undefined
}

/** How long an aborted statement waits for the server's first answer, without which it cannot be cancelled. */
const graceMs = 2_000

async function begun(client: TrinoClient, statement: string, ended: AbortSignal): Promise<Answer> {
  const waiting = new AbortController()
  const giveUp = () => setTimeout(() => waiting.abort(ended.reason), graceMs).unref()
  ended.addEventListener('abort', giveUp, { once: true })
  try {
    return await client.begin(statement, waiting.signal)
  } finally {
    ended.removeEventListener('abort', giveUp)
  }
}

/** The parts of an answer, from its first one on. `pending`: an address of the statement, if it runs already. */
async function* partsOf(
  client: TrinoClient,
  {
    first,
    pending: given,
    tracked,
    table,
    ended,
  }: {
    first: () => Promise<Answer>
    pending: string | undefined
    tracked: Tracked | undefined
    table: string | undefined
    ended: AbortSignal
  },
): AsyncGenerator<ResultPart> {
  let columns: ResultPart['columns'] = []
  let pending = given
  let hasRows = false
  try {
    let answer = await first()
    for (;;) {
      pending = answer.nextUri
      if (answer.error !== undefined) throw statementFailure(answer.error, table)
      columns = answer.columns ?? columns
      const { data: rows = [] } = answer
      hasRows ||= rows.length > 0
      if (answer.columns !== undefined || answer.data !== undefined) yield { queryId: answer.id, columns, rows }
      if (pending === undefined) return
      ended.throwIfAborted()
      await tracked?.beforePart(pending, hasRows, ended)
      answer = await client.next(pending, ended)
    }
  } finally {
    if (pending !== undefined && (await tracked?.mayCancel()) !== false) await client.cancel(pending)
  }
}

/**
 * Runs a statement, or continues it if an earlier worker has left it. If it is not read to its end, because the caller
 * stops, `signal` aborts or the time is over, it is cancelled at the server.
 */
export async function* resultOf(
  client: TrinoClient,
  statement: string,
  { signal, timeoutMs, table, started }: StatementLimits,
): AsyncGenerator<ResultPart> {
  const late = AbortSignal.timeout(Math.max(1, Math.floor(timeoutMs)))
  const ended = AbortSignal.any([signal, late])
  try {
    ended.throwIfAborted()
    const left = started?.left(statement)
    if (left !== undefined) {
      const { address: pending, tracked } = left
      let hasRows = false
      try {
        const first = () => client.next(pending, ended)
        for await (const part of partsOf(client, { first, pending, tracked, table, ended })) {
          hasRows ||= part.rows.length > 0
          yield part
        }
        return
      } catch (error) {
        if (hasRows || ended.aborted || !isGone(requestFailure(error, table))) throw error
      }
    }
    const first = () => begun(client, statement, ended)
    yield* partsOf(client, { first, pending: undefined, tracked: started?.begun(statement), table, ended })
  } catch (error) {
    signal.throwIfAborted()
    if (late.aborted) throw timedOut(error)
    throw requestFailure(error, table)
  }
}
