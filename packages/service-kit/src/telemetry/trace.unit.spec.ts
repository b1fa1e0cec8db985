import { afterEach, describe, expect, test } from 'vitest'
import { createLogger } from '../logger.ts'
import { beginSpan, currentTraceparent, parseTraceparent, traced, useTracer } from './trace.ts'

const trace = '0af7651916cd43dd8448eb211c80319c'
const parent = `00-${trace}-b7ad6b7169203331-01`

afterEach(() => useTracer(undefined))

describe('a traceparent', () => {
  test('that is one is read', () =>
    expect(parseTraceparent(parent)).toEqual({ traceId: trace, spanId: 'b7ad6b7169203331', flags: '01' }))
  test.each([
    undefined,
    '',
    'x',
    parent.toUpperCase(),
    `ff${parent.slice(2)}`,
    `${parent}-more`,
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
  ])('that is none is not: %s', (text) => expect(parseTraceparent(text)).toBeUndefined())
  test('of a later version is read by its first parts', () =>
    expect(parseTraceparent(`01${parent.slice(2)}-more`)?.traceId).toBe(trace))
})

describe('given no tracer', () => {
  test('when work is traced, then its trace goes on with an id of its own, and ends with it', async () => {
    const inside = await traced('x', 'server', parent, async () => {
      await new Promise((resolve) => setImmediate(resolve))
      return currentTraceparent()
    })
    expect(inside).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`))
    expect(inside).not.toBe(parent)
    expect(currentTraceparent()).toBeUndefined()
  })

  test('when nobody began a trace, then one begins, which nobody is asked to record', () =>
    expect(beginSpan('x', 'server', 'rubbish').span.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/))

  test('when something is logged within it, then the line names the trace', async () => {
    const lines: string[] = []
    const logger = createLogger({ level: 'info', destination: { write: (line) => void lines.push(line) } })
    await traced('x', 'server', parent, async () => logger.info({}, 'inside'))
    logger.info({}, 'outside')
    expect(lines.map((line) => JSON.parse(line).traceId)).toEqual([trace, undefined])
  })
})

test('given a tracer, when work fails, then its span is told', async () => {
  const told: unknown[] = []
  useTracer((name, kind, before) => ({
    traceparent: parent,
    name: () => undefined,
    end: (failure) => told.push([name, kind, before, failure]),
  }))
  const failure = new Error('no')
  await expect(traced('x', 'consumer', parent, () => Promise.reject(failure))).rejects.toBe(failure)
  expect(told).toEqual([['x', 'consumer', parent, failure]])
})
