import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { loadConfig } from './config.ts'
import { formatPositions, parsePositions } from './http/positions.ts'
import { uuidV5 } from './ids.ts'
import { createLifecycle } from './lifecycle.ts'
import { createLogger } from './logger.ts'
import { createMetrics } from './metrics.ts'
import { systemTimers } from './node.ts'

const silent = createLogger({ level: 'silent' })

describe('loadConfig', () => {
  const schema = z.object({
    PORT: z.string().regex(/^\d+$/, 'must be a number').transform(Number),
    ASSAY_MODE: z.enum(['a', 'b']).default('a'),
  })
  const load = (env: Record<string, string>) => loadConfig(schema, ['PORT', 'ASSAY_MODE'], env)
  test('given valid values, then they are parsed, and an empty variable counts as unset', () => {
    expect(load({ PORT: '1', ASSAY_MODE: '', HOME: '/x' })).toEqual({ PORT: 1, ASSAY_MODE: 'a' })
  })
  test('given a known variable with an additional prefix, then the error suggests the known one', () => {
    expect(() => load({ ASSAY_PORT: '1' })).toThrow("ASSAY_PORT is not known; did you mean 'PORT'?")
  })
  test('given several bad values and an unknown variable, then each has a line', () => {
    expect(() => load({ PORT: 'x', ASSAY_MODE: 'c', ASSAY_MOED: 'a' })).toThrow(
      /ASSAY_MOED is not known; did you mean 'ASSAY_MODE'\?\nPORT must be a number\.\nASSAY_MODE must be one of a, b\.$/,
    )
  })
})

describe('uuidV5', () => {
  test('given two lists of parts, then their ids are equal exactly if the lists are equal', () => {
    expect(uuidV5('ab', 'c')).toBe(uuidV5('ab', 'c'))
    fc.assert(
      fc.property(
        fc.array(fc.string()),
        fc.array(fc.string()),
        (a, b) => (uuidV5(...a) === uuidV5(...b)) === (JSON.stringify(a) === JSON.stringify(b)),
      ),
    )
  })
})

describe('positions', () => {
  test('given a map, when it is formatted and parsed, then it is the same', () => {
    const seen = new Map([
      ['policy' as const, ['0001']],
      ['catalog' as const, ['0002', '0004']],
    ])
    expect(parsePositions(formatPositions(seen))).toEqual(seen)
  })
  test('given invalid text, then the result is empty', () =>
    expect(parsePositions('x:1,policy:../..,policy').size).toBe(0))
})

test('given fields with secrets, when they are logged, then the line has no secret', () => {
  const lines: string[] = []
  const logger = createLogger({ level: 'info', destination: { write: (line) => lines.push(line) } })
  logger.info(
    {
      accessKey: 'canary',
      nested: { secretKey: 'canary', list: [{ password: 'canary', ok: 'seen' }] },
      headers: { Authorization: 'canary' },
    },
    'a line\nwith a break',
  )
  expect(lines.join('')).not.toContain('canary')
  expect(lines.join('')).toContain('seen')
  expect(lines).toHaveLength(1)
  expect(lines[0]?.trimEnd()).not.toContain('\n')
})

test('given an error that is its own cause, then it is logged in one line', () => {
  const lines: string[] = []
  const logger = createLogger({ level: 'info', destination: { write: (line) => lines.push(line) } })
  const error = new Error('it turns in a circle')
  error.cause = error
  logger.error({ error }, 'it failed')
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('it turns in a circle')
})

test('given parts, when one fails to start, then the earlier ones are stopped in reverse order', async () => {
  const steps: string[] = []
  const part = (name: string, fails = false) => ({
    name,
    start: async () => {
      if (fails) throw new Error('no')
      steps.push(`start ${name}`)
    },
    stop: async () => {
      steps.push(`stop ${name}`)
    },
  })
  const lifecycle = createLifecycle({
    parts: [part('a'), part('b'), part('c', true)],
    timers: systemTimers,
    logger: silent,
  })
  await expect(lifecycle.start()).rejects.toThrow('no')
  expect(steps).toEqual(['start a', 'start b', 'stop b', 'stop a'])
})

test('given a part that never stops, then the other parts are stopped anyway', async () => {
  let stopped = false
  const parts = [
    {
      name: 'good',
      stop: async () => {
        stopped = true
      },
    },
    { name: 'hangs', stop: () => new Promise<void>(() => undefined), stopWithinMs: 20 },
  ]
  const lifecycle = createLifecycle({ parts, timers: systemTimers, logger: silent })
  await lifecycle.start()
  await lifecycle.stop()
  expect(stopped).toBe(true)
})

test('given counts and times, then the text has the format of Prometheus', async () => {
  const metrics = createMetrics()
  for (const by of [1, 2]) metrics.counter({ name: 'assay_x_total', help: 'X.', labels: ['a'] }).add({ a: 'b"c' }, by)
  const gauge = metrics.gauge({ name: 'assay_g', help: 'G.', labels: ['of'] })
  gauge.read({ of: 'one' }, () => 3)
  metrics.gauge({ name: 'assay_g', help: 'G.', labels: ['of'] }).read({ of: 'two' }, () => 4)
  metrics.histogram({ name: 'assay_s_seconds', help: 'S.', labels: ['o'] }).observe({ o: 'read' }, 0.02)
  const text = await metrics.text()
  for (const line of [
    '# HELP assay_x_total X.\n# TYPE assay_x_total counter\nassay_x_total{a="b\\"c"} 3',
    'assay_g{of="one"} 3\nassay_g{of="two"} 4',
    'assay_s_seconds_bucket{le="0.05",o="read"} 1',
  ])
    expect(text).toContain(line)
})
