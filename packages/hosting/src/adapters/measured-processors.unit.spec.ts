import type { ParkedStream, Processor, ProcessorOptions, RecordedEvent } from '@assay/event-store'
import { createMetrics } from '@assay/service-kit'
import { expect, test, vi } from 'vitest'
import { measuredProcessors } from './measured-processors.ts'

const parkedAt = '2026-11-20T10:00:00.000Z'
const event: RecordedEvent = {
  id: 'e',
  stream: 'acme/thing-1',
  revision: 4,
  position: '7',
  recordedAt: parkedAt,
  type: 'Happened',
  data: { secret: 'hidden' },
  metadata: { tenant: 'acme', actor: 'a', schemaVersion: 1, occurredAt: parkedAt },
}

test('given a processor, when it parks a stream, then a gauge and a log line show it until it is resumed', async () => {
  const metrics = createMetrics()
  const lines: [string, unknown, string | undefined][] = []
  const note = (level: string) => (about: unknown, text?: string) => void lines.push([level, about, text])
  const logger = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') }
  const timers = { sleep: async () => undefined, every: () => ({ stop: () => undefined }) }
  const parked: ParkedStream[] = []
  let given: ProcessorOptions | undefined
  const reported: unknown[] = []
  const inner: Processor = {
    start: async () => undefined,
    stop: async () => undefined,
    lag: async () => 0,
    parked: async () => parked,
  }
  const make = measuredProcessors(
    (options) => {
      given = options
      return inner
    },
    { metrics, timers, logger },
  )
  const processor = make({
    name: 'policy-publisher',
    store: {
      subscribe: () => {
        throw new Error('This must not be called here.')
      },
      readAll: async () => ({ events: [], position: '', atEnd: true }),
      read: async () => ({ events: [], revision: -1 }),
    },
    checkpoints: {
      get: async () => undefined,
      set: async () => undefined,
      parked: async () => parked,
      parkedByAll: async () => [],
      begin: async () => undefined,
      restart: async () => false,
      park: async () => undefined,
      unpark: async () => true,
      requestRetry: async () => false,
      recordFailedRetry: async () => undefined,
    },
    handle: async () => undefined,
    onError: (error) => void reported.push(error),
    timers,
    clock: { now: () => 0 },
  })
  const shows = (text: string) =>
    vi.waitFor(async () => expect(await metrics.text()).toContain(`${text}\n`), { timeout: 5_000 })
  await shows('assay_processor_parked_streams{processor="policy-publisher"} Nan')
  await processor.start()
  await shows('assay_processor_parked_streams{processor="policy-publisher"} 0')
  given?.onError(new Error('not yet'), { event, parked: false })
  expect([reported.length, lines]).toEqual([1, []])
  parked.push({ stream: event.stream, fromRevision: 4, reason: 'cannot be published', parkedAt })
  given?.onError(new Error('cannot be published'), { event, parked: true })
  await shows('assay_processor_parked_streams{processor="policy-publisher"} 1')
  expect(lines).toEqual([
    [
      'error',
      {
        processor: 'policy-publisher',
        tenant: 'acme',
        stream: 'acme/thing-1',
        revision: 4,
        parked: true,
        reason: 'cannot be published',
      },
      expect.stringContaining('parked'),
    ],
  ])
  expect(JSON.stringify(lines)).not.toContain('hidden')
  parked.pop()
  given?.onResumed?.(event.stream, 3)
  await shows('assay_processor_parked_streams{processor="policy-publisher"} 0')
  await processor.stop()
})
