import { afterEach, describe, expect, it } from 'vitest'
import { raw } from '../sql/fragment.ts'
import type { StartedStatement } from '../started-statements.ts'
import { notedStatements } from '../testing/noted-statements.ts'
import { type Answer, type StatementServer, startStatementServer } from '../testing/statement-server.ts'
import { trinoAt } from '../testing/trino.ts'
import { connect } from './connection.ts'

let server: StatementServer | undefined
afterEach(() => server?.stop())

const columns = [{ name: 'n', type: 'bigint' }]
const count = raw('SELECT count(*) FROM t')
const pace = { cancellableAfterMs: 0, resumableAfterMs: 0 }

/**
 * A coordinator that gives the current part of a query again, and the next one, but no others, as Trino does. Each address has
 * its own key. The parts are those of every query; a query waits at a part that is `undefined`.
 */
async function coordinator(parts: readonly (object | undefined)[]) {
  const queries: { at: number; error?: object }[] = []
  const pathOf = (query: number, token: number) => `/v1/statement/executing/q${query}/key${token}/${token}`
  const started = await startStatementServer((request, _text, address): Answer => {
    if (request.startsWith('POST'))
      return { body: { id: 'q', nextUri: `${address}${pathOf(queries.push({ at: -1 }) - 1, 0)}` } }
    const [, method, number, key, text] = /^(\w+) .*q(\d+)\/key(\d+)\/(\d+)/.exec(request) ?? []
    const query = queries[Number(number)]
    const token = Number(text)
    if (query === undefined || key !== text) return { status: 404 }
    if (method === 'DELETE') {
      query.error = { errorName: 'USER_CANCELED', errorType: 'USER_ERROR' }
      return { status: 204 }
    }
    if (query.error) return { body: { id: 'q', error: query.error } }
    if (token < query.at) return { status: 410 }
    if (token > query.at + 1) return { status: 404 }
    query.at = token
    const part = parts[token]
    const next = token + 1 < parts.length ? { nextUri: `${address}${pathOf(Number(number), token + 1)}` } : {}
    return part && { body: { id: 'q', columns, ...next, ...part } }
  })
  server = started
  const source = trinoAt(started.url, 'memory')
  const open = (own: ReturnType<typeof notedStatements>, signal = new AbortController().signal) =>
    connect(
      { source, addresses: ['127.0.0.1'], password: undefined },
      { timeoutMs: 60_000, signal, table: 's.t', statements: own.statements, pace },
    )
  const sent = (method: string) => started.requests.filter((one) => one.startsWith(method))
  return { open, queries, sent, requests: started.requests, url: new URL(started.url).origin }
}

/** A worker that has come to the part at which the query waits. */
async function stuck({ open, queries }: Awaited<ReturnType<typeof coordinator>>, at: number) {
  const own = notedStatements()
  const stop = new AbortController()
  const connection = await open(own, stop.signal)
  const reading = connection.read(count).catch((error: unknown) => error)
  await expect.poll(() => queries.at(-1)?.at).toBe(at)
  return { own, stop, connection, reading }
}

const textsOf = (rows: { text: string | null }[][]) => rows.map(([cell]) => cell?.text)

describe('a statement of Trino that another worker has begun', () => {
  it('given it still runs, when the same statement is read, then it is continued, and its first worker does not cancel it', async () => {
    const parts: (object | undefined)[] = [{}, {}, undefined, {}, { data: [[6001215]] }, { data: [[7]] }, {}]
    const trino = await coordinator(parts)
    const first = await stuck(trino, 2)
    const next = notedStatements(first.own.takeOver())
    parts[2] = {}
    const connection = await trino.open(next)
    expect(textsOf(await connection.read(count))).toEqual(['6001215', '7'])
    await connection.close()
    first.stop.abort(new Error('lost'))
    await first.reading
    await first.connection.close()
    expect(trino.queries).toEqual([{ at: 6 }])
    expect(trino.sent('DELETE')).toEqual([])
    const references = [...first.own.noted(), ...next.noted()].map(({ reference }) => reference)
    expect(references).toEqual([2, 4].map((token) => `${trino.url}/v1/statement/executing/q0/key${token}/${token}`))
  })

  it.each<[string, (trino: Awaited<ReturnType<typeof coordinator>>) => void]>([
    ['its server forgot it', ({ queries }) => void queries.splice(0, 1, { at: 100 })],
    ['it was cancelled', ({ queries }) => void queries.splice(0, 1, { at: 2, error: { errorName: 'USER_CANCELED' } })],
  ])('given %s, when the same statement is read, then it is begun again', async (_, lose) => {
    const parts: (object | undefined)[] = [{}, {}, undefined, { data: [[5]] }]
    const trino = await coordinator(parts)
    const first = await stuck(trino, 2)
    parts[2] = {}
    lose(trino)
    const connection = await trino.open(notedStatements(first.own.takeOver()))
    expect(textsOf(await connection.read(count))).toEqual(['5'])
    await connection.close()
    first.stop.abort(new Error('lost'))
    expect(trino.queries).toHaveLength(2)
  })

  it('given it has failed, when the same statement is read, then the failure is that of the statement', async () => {
    const trino = await coordinator([{}, {}, undefined])
    const first = await stuck(trino, 2)
    trino.queries[0] = { at: 2, error: { errorName: 'DIVISION_BY_ZERO', errorType: 'USER_ERROR' } }
    const connection = await trino.open(notedStatements(first.own.takeOver()))
    await expect(connection.read(count)).rejects.toMatchObject({ name: 'DIVISION_BY_ZERO' })
    await connection.close()
    first.stop.abort(new Error('lost'))
    expect(trino.sent('POST')).toHaveLength(1)
  })

  it('given another statement is read, then it is cancelled', async () => {
    const parts: (object | undefined)[] = [{}, {}, undefined, { data: [[5]] }]
    const trino = await coordinator(parts)
    const first = await stuck(trino, 2)
    const connection = await trino.open(notedStatements(first.own.takeOver()))
    parts[2] = {}
    expect(textsOf(await connection.read(raw('SELECT max(n) FROM t')))).toEqual(['5'])
    await connection.close()
    first.stop.abort(new Error('lost'))
    const [cancel = '', ...others] = trino.sent('DELETE')
    expect([cancel, ...others]).toEqual(['DELETE /v1/statement/executing/q0/key2/2'])
    // A long statement does not wait for its own end.
    expect(trino.requests.indexOf(cancel)).toBeLessThan(trino.requests.length - 1)
    expect(trino.queries[1]?.error).toBeUndefined()
  })

  it.each(['http://elsewhere.example/v1/statement/executing/q0/key2/2', '/ui/query', 'http://[', 'no address'])(
    'given the reference %s, when statements are read, then it is used for nothing',
    async (reference) => {
      const parts: (object | undefined)[] = [{}, {}, undefined, { data: [[5]] }]
      const trino = await coordinator(parts)
      const first = await stuck(trino, 2)
      const [noted] = first.own.takeOver()
      const left: StartedStatement[] = noted === undefined ? [] : [{ ...noted, reference }]
      parts[2] = {}
      const connection = await trino.open(notedStatements(left))
      expect(textsOf(await connection.read(count))).toEqual(['5'])
      await connection.close()
      first.stop.abort(new Error('lost'))
      expect(trino.queries[0]).toEqual({ at: 2 })
      expect(trino.sent('DELETE')).toEqual([])
    },
  )

  it('given its first worker paused, when that one comes to the rows, then it stops without a request', async () => {
    const parts: (object | undefined)[] = [{}, {}, undefined, { data: [[5]] }, { data: [[6]] }]
    const trino = await coordinator(parts)
    const own = notedStatements()
    const connection = await trino.open(own)
    const { stream } = connection
    const rows: unknown[] = []
    const reading = (async () => {
      for await (const part of stream?.(count, 10) ?? []) rows.push(...textsOf(part))
    })()
    parts[2] = { data: [[4]] }
    const ended = expect(reading).rejects.toMatchObject({ code: 'unavailable' })
    own.takeOver()
    await ended
    expect(rows).toEqual(['4'])
    expect(trino.sent('GET').at(-1)).toContain('/2?')
    expect(trino.sent('DELETE')).toEqual([])
    await connection.close()
  })
})
