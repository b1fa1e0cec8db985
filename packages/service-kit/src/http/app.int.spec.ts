import { connect } from 'node:net'
import { expect, test, vi } from 'vitest'
import { createLogger } from '../logger.ts'
import { createMetrics } from '../metrics.ts'
import { createHttpApp } from './app.ts'
import { listen } from './listen.ts'

test('given a caller who leaves before the answer, when requests are counted, then it is not counted as answered', async () => {
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
  await vi.waitFor(() => expect(metrics.text()).toContain('assay_http_requests_total'), { timeout: 10_000 })
  expect(metrics.text()).toContain('assay_http_requests_total{operation="none",status="499"} 1')
  await http.close()
})
