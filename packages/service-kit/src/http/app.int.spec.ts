import { connect } from 'node:net'
import { expect, test, vi } from 'vitest'
import { createLogger } from '../logger.ts'
import { createMetrics } from '../metrics.ts'
import { createHttpApp } from './app.ts'
import { listen } from './listen.ts'

test('given a caller who disconnects before the answer, then the request is counted with status 499', async () => {
  const metrics = createMetrics()
  const came = Promise.withResolvers<void>()
  const app = createHttpApp({
    logger: createLogger({ level: 'silent' }),
    newId: () => 'made',
    metrics,
    dispatch: () => {
      came.resolve()
      return Promise.resolve()
    },
  })
  const http = await listen(app, { host: '127.0.0.1', port: 0 })
  const caller = connect(http.port, '127.0.0.1')
  caller.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  await came.promise
  caller.destroy()
  const counted = 'assay_http_requests_total{operation="none",status="499"} 1'
  await vi.waitFor(async () => expect(await metrics.text()).toContain(counted), { timeout: 10_000 })
  await http.close()
})

test.each([
  ['/', '', 400],
  ['/', 'host: a\r\n', 200],
  ['/', 'host: a\r\nHost: b\r\n', 400],
  ['/healthz', '', 200],
  ['/readyz?of=a-probe', '', 200],
  ['/metrics', '', 200],
  ['/metrics', 'host: a\r\nHost: b\r\n', 400],
])('given a request of %s with the Host headers %j, then %s', async (path, hosts, status) => {
  const app = createHttpApp({
    logger: createLogger({ level: 'silent' }),
    newId: () => 'made',
    metrics: createMetrics(),
    dispatch: async (_target, _request, response) => void response.end('{}'),
  })
  const http = await listen(app, { host: '127.0.0.1', port: 0 })
  const caller = connect(http.port, '127.0.0.1')
  caller.write(`GET ${path} HTTP/1.1\r\n${hosts}connection: close\r\n\r\n`)
  let answer = ''
  for await (const part of caller) answer += String(part)
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*x-content-type-options: nosniff`, 'i'))
  expect(answer.includes('"errors"')).toBe(status === 400)
  await http.close()
})
