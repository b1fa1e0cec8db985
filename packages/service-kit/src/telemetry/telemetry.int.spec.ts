import { expect, onTestFinished, test, vi } from 'vitest'
import { listen } from '../http/listen.ts'
import { startTelemetry } from './telemetry.ts'
import { beginWork } from './trace.ts'

test('given a collector that refuses spans and then accepts them, then failure and success are reported', async () => {
  let status = 400
  const collector = await listen(
    (request, response) => {
      request.resume()
      response.writeHead(status, { connection: 'close' }).end()
    },
    { host: '127.0.0.1', port: 0 },
  )
  const url = `http://127.0.0.1:${collector.port}`
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', url)
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '20')
  const [onError, onSent] = [vi.fn<(message: string) => void>(), vi.fn<() => void>()]
  const telemetry = await startTelemetry(url, { service: 'a', version: '1', onError, onSent })
  onTestFinished(async () => {
    await telemetry?.stop()
    await collector.close()
    vi.unstubAllEnvs()
  })
  beginWork('refused', { kind: 'server' }).end()
  await vi.waitFor(() => expect(onError).toHaveBeenCalled(), { timeout: 15_000 })
  expect(onSent).not.toHaveBeenCalled()
  status = 200
  beginWork('taken', { kind: 'server' }).end()
  await vi.waitFor(() => expect(onSent).toHaveBeenCalled(), { timeout: 15_000 })
})
