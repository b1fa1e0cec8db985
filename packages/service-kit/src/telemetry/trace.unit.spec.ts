import { context, propagation, trace as traces } from '@opentelemetry/api'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createLogger } from '../logger.ts'
import { passTracesOn } from './telemetry.ts'
import { beginWork, currentTrace, recordSpans, traced } from './trace.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-00`
const from = { traceparent, tracestate: 'vendor=1' }

beforeEach(passTracesOn)
afterEach(() => {
  recordSpans(false)
  for (const api of [context, propagation, traces]) api.disable()
})

describe('given a process that records nothing', () => {
  test('when work has a trace context, then the context is propagated unchanged, with its sampling decision and state', async () => {
    const inside = await traced('x', { kind: 'server', from }, async () => {
      await new Promise((resolve) => setImmediate(resolve))
      return currentTrace()
    })
    expect(inside).toEqual(from)
    expect(currentTrace()).toEqual({})
  })

  test.each([{}, { traceparent: 'rubbish' }])(
    'when work has the trace context %j, then it belongs to no trace',
    (nowhere) => {
      const outer = beginWork('x', { kind: 'server', from })
      const inner = outer.within(() => beginWork('y', { kind: 'consumer', from: nowhere }).within(currentTrace))
      expect(inner).toEqual({})
    },
  )

  test('when work writes to the log, then the line has the ids of the trace', async () => {
    const lines: string[] = []
    const logger = createLogger({ level: 'info', destination: { write: (line) => void lines.push(line) } })
    await traced('x', { kind: 'server', from }, async () => logger.info({}, 'inside'))
    logger.info({}, 'outside')
    expect(lines.map((line) => JSON.parse(line)).map(({ trace_id, span_id }) => [trace_id, span_id])).toEqual([
      [traceId, 'b7ad6b7169203331'],
      [undefined, undefined],
    ])
  })
})
