import { AssayError } from '@assay/service-kit/errors'
import type { Answer, TrinoClient } from './client.ts'
import { requestFailure, statementFailure } from './failures.ts'

/** Columns and rows of a result, in parts. Each part has the columns. */
export interface ResultPart {
  columns: NonNullable<Answer['columns']>
  rows: NonNullable<Answer['data']>
}

export interface StatementLimits {
  signal: AbortSignal
  timeoutMs: number
  /** The table in messages. */
  table: string | undefined
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

/**
 * Runs a statement. If it is not read to its end, because the caller stops, `signal` aborts or the time is over, it is
 * cancelled at the server.
 */
export async function* resultOf(
  client: TrinoClient,
  statement: string,
  { signal, timeoutMs, table }: StatementLimits,
): AsyncGenerator<ResultPart> {
  const late = AbortSignal.timeout(Math.max(1, Math.floor(timeoutMs)))
  const ended = AbortSignal.any([signal, late])
  let columns: ResultPart['columns'] = []
  let pending: string | undefined
  try {
    ended.throwIfAborted()
    let answer = await begun(client, statement, ended)
    for (;;) {
      pending = answer.nextUri
      if (answer.error !== undefined) throw statementFailure(answer.error, table)
      columns = answer.columns ?? columns
      if (answer.columns !== undefined || answer.data !== undefined) yield { columns, rows: answer.data ?? [] }
      if (pending === undefined) return
      ended.throwIfAborted()
      answer = await client.next(pending, ended)
    }
  } catch (error) {
    signal.throwIfAborted()
    if (late.aborted) throw new AssayError('timeout', 'The run exceeded its time limit.', { cause: error })
    throw requestFailure(error, table)
  } finally {
    if (pending !== undefined) await client.cancel(pending)
  }
}
