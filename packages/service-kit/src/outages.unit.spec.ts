import { expect, test } from 'vitest'
import { AssayError } from './errors.ts'
import { createOutages } from './outages.ts'

function setUp() {
  const clock = { time: 0, now: () => clock.time }
  const lines: [string, string, object][] = []
  const write = (level: string) => (fields: object, text: string) => void lines.push([level, text, fields])
  const logger = { debug: () => {}, info: write('info'), warn: write('warn'), error: write('error') }
  const outages = createOutages({ logger, clock })
  const unavailable = new AssayError('unavailable', 'The event store cannot be reached.')
  const server = outages.server('event store')
  const fail = () => server.watch(Promise.reject(unavailable)).catch(() => undefined)
  return { clock, lines, outages, logger: outages.quiet(logger), unavailable, server, fail }
}

test('given an outage of three minutes with a failure each second, then exactly four lines are logged, with the counts', async () => {
  const { clock, lines, logger, unavailable, server, fail } = setUp()
  for (; clock.time < 170_000; clock.time += 1000) {
    await fail()
    logger.error({ error: unavailable }, 'a request failed')
    logger.warn({ error: unavailable.message }, 'a sweep failed')
    logger.warn({ problems: [`The event store does not answer: ${unavailable.message}`] }, 'not ready')
  }
  await server.watch(Promise.resolve())
  clock.time += 6_000
  await server.watch(Promise.resolve())
  expect(lines).toEqual([
    ['error', 'event store does not answer', { server: 'event store', error: unavailable.message }],
    ['warn', 'event store still does not answer', expect.objectContaining({ failures: 61, seconds: 60 })],
    ['warn', 'event store still does not answer', expect.objectContaining({ failures: 121, seconds: 120 })],
    ['warn', 'event store answers again', { server: 'event store', failures: 170, suppressed: 510, seconds: 176 }],
  ])
})

test('given an outage, when something else fails, then it is logged', async () => {
  const { lines, logger, fail } = setUp()
  await fail()
  logger.error({ error: new Error('a bug') }, 'a request failed')
  logger.warn({ count: 1 }, 'no reason')
  expect(lines.map(([, text]) => text)).toEqual(['event store does not answer', 'a request failed', 'no reason'])
})

test('given an error that is not transient, then no outage begins', async () => {
  const { lines, server } = setUp()
  await server.watch(Promise.reject(new AssayError('conflict', 'Another was first.'))).catch(() => undefined)
  expect(lines).toEqual([])
})

test('given an outage with a short reason, then lines that only contain this text, lines about parked messages and lines with a stack are logged', () => {
  const { lines, logger, server } = setUp()
  server.failed(new AssayError('timeout', 'timeout'))
  server.failed(new AssayError('unavailable', ''))
  logger.error({ error: 'a timeout of its own' }, 'other')
  logger.error({ reason: 'timeout', parked: true }, 'a stream is parked')
  logger.error({ error: 'timeout', stack: 'Error: timeout' }, 'a run failed unexpectedly')
  logger.error({ error: 'timeout', parked: false }, 'a repetition')
  expect(lines.map(([, text]) => text)).toEqual([
    'event store does not answer',
    'other',
    'a stream is parked',
    'a run failed unexpectedly',
  ])
})

test('given an outage without an answer, when no call has failed for five minutes, then lines are no longer filtered', async () => {
  const { clock, lines, logger, unavailable, fail } = setUp()
  await fail()
  clock.time += 300_000
  logger.warn({ error: unavailable }, 'late')
  await fail()
  expect(lines.map(([, text]) => text)).toEqual([
    'event store does not answer',
    'event store has not failed for five minutes',
    'late',
    'event store does not answer',
  ])
})

test('given an outage, when a call fails with an error that is not transient, then the outage ends', async () => {
  const { clock, lines, server, fail } = setUp()
  await fail()
  clock.time += 6_000
  server.failed(new AssayError('conflict', 'Another was first.'))
  expect(lines.map(([, text]) => text)).toEqual(['event store does not answer', 'event store answers again'])
})
