import { afterEach, describe, expect, it } from 'vitest'
import { raw, sql } from '../sql/fragment.ts'
import { type Answer, type StatementServer, startStatementServer } from '../testing/statement-server.ts'
import { trinoAt } from '../testing/trino.ts'
import { tableCommentsOf } from './catalog.ts'
import { connect } from './connection.ts'

let server: StatementServer | undefined
afterEach(() => server?.stop())

/** Starts a server with the statement protocol, and opens a session there. Returns the requests that came. */
async function opened(
  answerTo: Parameters<typeof startStatementServer>[0],
  {
    signal = new AbortController().signal,
    timeoutMs = 60_000,
    ...more
  }: { signal?: AbortSignal; timeoutMs?: number; connectTimeoutSeconds?: number } = {},
) {
  const started = await startStatementServer(answerTo)
  server = started
  const { requests, headers } = started
  const source = trinoAt(started.url, 'memory', more)
  const target = { source, addresses: ['127.0.0.1'], password: undefined }
  return { requests, headers, connection: await connect(target, { timeoutMs, signal, table: 's.t' }) }
}

const columns = [
  { name: 'n', type: 'bigint' },
  { name: 't', type: 'varchar' },
]

describe('a session of Trino', () => {
  it('given a result in parts that name another host, when read, then all come from the configured address, and whole numbers keep their digits', async () => {
    const { connection, requests, headers } = await opened((request, text, address) => {
      if (request === 'POST /v1/statement')
        return { body: { id: 'q', nextUri: `${address}/v1/statement/queued/q/1?slug=${text.length}` } }
      if (request.includes('/queued/'))
        return {
          body: `{"id":"q","nextUri":"${address}/v1/statement/executing/q/2","columns":${JSON.stringify(columns)},"data":[[9007199254740993,"a"]]}`,
        }
      return { body: { id: 'q', columns, data: [[1, null]] } }
    })
    const cells = await connection.read(
      sql`SELECT ${{ text: '$assay_v1', bindings: { assay_v1: "it's" } }}, '$assay_v1'`,
    )
    await connection.close()
    expect(cells.map((row) => row.map(({ text }) => text))).toEqual([
      ['9007199254740993', 'a'],
      ['1', null],
    ])
    const { length } = "SELECT 'it''s', '$assay_v1'"
    expect(requests).toEqual([
      'POST /v1/statement',
      `GET /v1/statement/queued/q/1?slug=${length}&targetResultSize=1MB`,
      'GET /v1/statement/executing/q/2?targetResultSize=1MB',
    ])
    expect(headers[0]).toMatchObject({ 'x-trino-user': 'assay', 'x-trino-source': 'assay', 'x-trino-time-zone': 'UTC' })
    expect(headers.some((one) => 'authorization' in one || 'x-trino-catalog' in one)).toBe(false)
  })

  it('given a busy server, when a statement is sent, then it is sent again', async () => {
    let tries = 0
    const { connection } = await opened(() => {
      tries += 1
      return tries < 3 ? { status: 503 } : { body: { id: 'q', columns, data: [] } }
    })
    expect(await connection.read(raw('SELECT 1'))).toEqual([])
    expect(tries).toBe(3)
    await connection.close()
  })

  it('given a running statement, when it is aborted, exceeds its time, or only its first rows are read, then it is cancelled', async () => {
    const stop = new AbortController()
    const running = (request: string): Answer => {
      if (request.startsWith('DELETE')) return { status: 204 }
      if (request.startsWith('POST'))
        return { body: { id: 'q', nextUri: 'http://x/v1/statement/executing/q/1', columns, data: [[1, 'a']] } }
      return undefined
    }
    const cancelled = 'DELETE /v1/statement/executing/q/1'
    const reason = new Error('changed my mind')
    const aborted = await opened(
      (request) => {
        if (request.startsWith('GET')) setImmediate(() => stop.abort(reason))
        return running(request)
      },
      { signal: stop.signal },
    )
    await expect(aborted.connection.read(raw('SELECT 1'))).rejects.toBe(reason)
    expect(aborted.requests).toContain(cancelled)
    await aborted.connection.close()

    const late = await opened(running, { timeoutMs: 300 })
    await expect(late.connection.read(raw('SELECT 1'))).rejects.toMatchObject({ code: 'timeout' })
    expect(late.requests).toContain(cancelled)
    await late.connection.close()

    const partly = await opened(running)
    for await (const rows of partly.connection.stream?.(raw('SELECT 1'), 10) ?? []) {
      expect(rows).toHaveLength(1)
      break
    }
    expect(partly.requests).toContain(cancelled)
    await partly.connection.close()
  })

  it('given a server that never ends its first answer, when the time of a statement is over, then the statement ends', async () => {
    const { connection } = await opened(() => 'bytes without end', { timeoutMs: 100 })
    await expect(connection.read(raw('SELECT 1'))).rejects.toMatchObject({ code: 'timeout' })
    await connection.close()
  })

  it('given more than a run may hold, in one part or in many, when read, then it is too large', async () => {
    const long = { code: 'too-large', message: expect.stringContaining('more than Assay reads at once') }
    const huge = await opened(() => ({ body: ' '.repeat(33 * 2 ** 20) }))
    await expect(huge.connection.read(raw('SELECT 1'))).rejects.toMatchObject(long)
    await huge.connection.close()

    const data = [[1, 'x'.repeat(8 * 2 ** 20)]]
    const endless = await opened((request) =>
      request.startsWith('DELETE')
        ? { status: 204 }
        : { body: { id: 'q', nextUri: 'http://x/v1/statement/executing/q/1', columns, data } },
    )
    await expect(endless.connection.read(raw('SELECT 1'))).rejects.toMatchObject(long)
    expect(endless.requests.at(-1)).toBe('DELETE /v1/statement/executing/q/1')
    await endless.connection.close()
  })

  it('given an address of the next part that is none, when read, then the server is not taken for a coordinator', async () => {
    const { connection } = await opened(() => ({ body: { id: 'q', nextUri: 'http://[' } }))
    await expect(connection.read(raw('SELECT 1'))).rejects.toMatchObject({ code: 'unprocessable' })
    await connection.close()
  })

  it('given comments that cannot be looked up, when read, then only missing rights are the same as no comments', async () => {
    const denied = { errorName: 'PERMISSION_DENIED', errorType: 'USER_ERROR' }
    const hidden = await opened(() => failing(denied))
    expect(await tableCommentsOf(hidden.connection, 'c', ['s'])).toEqual(new Map())
    await hidden.connection.close()
    const broken = await opened(() => ({ status: 500 }))
    await expect(tableCommentsOf(broken.connection, 'c', ['s'])).rejects.toMatchObject({ code: 'unprocessable' })
    await broken.connection.close()
  })

  const failing = (error: object): Answer => ({ body: { id: 'q', error } })
  it.each<[string, Answer, object]>([
    [
      'a refused password',
      { status: 401 },
      { code: 'unprocessable', message: /refused the password of the user "assay"/ },
    ],
    [
      'another server',
      { body: '<html>' },
      { code: 'unprocessable', message: /Check whether it is a Trino coordinator/ },
    ],
    ['a redirect', { status: 301 }, { code: 'unprocessable', message: /points to another address/ }],
    ['no answer', undefined, { code: 'unprocessable', message: /did not answer within 1 seconds/ }],
    [
      'a missing table',
      failing({ errorName: 'TABLE_NOT_FOUND', errorType: 'USER_ERROR' }),
      { code: 'unprocessable', message: /The table s.t no longer exists/ },
    ],
    [
      'no rights',
      failing({ errorName: 'PERMISSION_DENIED', errorType: 'USER_ERROR' }),
      { code: 'unprocessable', message: /The table s.t may not be read/ },
    ],
    [
      'too little memory',
      failing({ errorName: 'EXCEEDED_GLOBAL_MEMORY_LIMIT', errorType: 'INSUFFICIENT_RESOURCES' }),
      { code: 'too-large', message: /EXCEEDED_GLOBAL_MEMORY_LIMIT/ },
    ],
    [
      'a value of a row in its message',
      failing({ errorName: 'INVALID_CAST_ARGUMENT', errorType: 'USER_ERROR', message: "Cannot cast 'secret' to INT" }),
      { message: /^Cannot cast$/ },
    ],
  ])(
    'given %s, when a statement runs, then the error says so',
    async (_, answer, { message, ...rest }: { message?: RegExp }) => {
      const { connection } = await opened(() => answer, { connectTimeoutSeconds: 1 })
      const sentence = expect.stringMatching(message ?? /./)
      await expect(connection.read(raw('SELECT 1'))).rejects.toMatchObject({ ...rest, message: sentence })
      await connection.close()
    },
  )
})
