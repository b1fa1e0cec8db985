import { createProcessor, type ProcessorOptions } from '@assay/event-store'
import { AssayError } from '@assay/service-kit/errors'
import { systemTimers, uuidV7 } from '@assay/service-kit/node'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openStores, type TestStores } from '../testing/index.ts'
import { parkedCommandOf } from './parked.ts'
import { databasesOf, runStreams } from './streams.ts'

const clock = { time: Date.parse('2026-11-20T10:00:00.000Z'), now: () => clock.time }
let stores: TestStores
beforeEach(async () => {
  stores = await openStores({ name: 'parked-streams', collections: [], clock })
})
afterEach(() => stores.close())

async function said(lines: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const line of lines) text += line
  return text
}

function run(...words: string[]): Promise<string> {
  const command = parkedCommandOf(words)
  if (command?.verb !== 'list-streams' && command?.verb !== 'replay-streams') throw new Error('not understood')
  const { checkpoints } = stores
  return said(runStreams(['here'], async (name) => ({ name, checkpoints, close: async () => undefined }), command))
}

const event = () => {
  const metadata = { tenant: 't', actor: 'a', schemaVersion: 1, occurredAt: '2026-11-20T10:00:00.000Z' }
  return { id: uuidV7(), type: 'Happened', data: {}, metadata }
}

describe('given a stream that a running processor has parked', () => {
  test('when it is listed, fixed and replayed, then it is handled in order and no longer listed', async () => {
    const { store, checkpoints } = stores
    let isPoison = true
    const handled: number[] = []
    const options: ProcessorOptions = {
      name: 'policy-publisher',
      store,
      checkpoints,
      categories: ['policy'],
      async handle(events) {
        if (isPoison) throw new TypeError('cannot be published')
        handled.push(...events.map(({ revision }) => revision))
      },
      onError: () => undefined,
      timers: { ...systemTimers, every: (ms, work) => systemTimers.every(ms / 100, work) },
      clock,
    }
    const processor = createProcessor(options)
    await processor.start()
    try {
      await store.append('t/policy-1', [event(), event()], 'none')
      await vi.waitFor(async () => expect(await processor.parked()).toHaveLength(1), { timeout: 30_000 })
      expect(await run('list', 'streams')).toBe(
        '{"processor":"policy-publisher","stream":"t/policy-1","fromRevision":0,"reason":"cannot be published","parkedAt":"2026-11-20T10:00:00.000Z"}\n1 stream is parked.\n',
      )
      await expect(run('replay', 'stream', 'policy-names')).rejects.toMatchObject({ code: 'not-found' })
      await expect(run('replay', 'stream', 'policy-publisher', 't/policy-2')).rejects.toMatchObject({
        code: 'not-found',
      })
      isPoison = false
      expect(await run('replay', 'stream', 'policy-publisher', 't/policy-1')).toMatch(/^1 retry was requested\./)
      await vi.waitFor(async () => expect(await run('list', 'streams')).toBe('0 streams are parked.\n'), {
        timeout: 30_000,
      })
      expect(handled).toEqual([0, 1])
    } finally {
      await processor.stop()
    }
  })
})

test('given a store that does not answer, then the streams of other stores are listed, and the error names the store', async () => {
  const parkedAt = '2026-11-20T10:00:00.000Z'
  await stores.checkpoints.park('catalog-publisher', { stream: 't/a-1', fromRevision: 0, reason: 'odd', parkedAt }, 0)
  const lines: string[] = []
  const all = runStreams(
    ['away', 'here'],
    async (name) => {
      if (name === 'away') throw new AssayError('unavailable', 'It is gone.')
      return { name, checkpoints: stores.checkpoints, close: async () => undefined }
    },
    { verb: 'list-streams' },
  )
  const reading = async () => {
    for await (const line of all) lines.push(line)
  }
  await expect(reading()).rejects.toThrow('away: It is gone.')
  expect(lines).toEqual([expect.stringContaining('"stream":"t/a-1"')])
})

test('given the database of one service, then the databases of all services are read', () => {
  expect(databasesOf(undefined)).toContain('assay_policy')
  expect(databasesOf('own_gateway')).toEqual(expect.arrayContaining(['own_gateway', 'own_catalog', 'own_notification']))
  expect(databasesOf('assay_standalone')).toEqual(['assay_standalone'])
})

test('given invalid arguments about streams, then they are refused', () => {
  for (const words of [
    ['list', 'streams', 'x'],
    ['replay', 'stream'],
    ['replay', 'stream', 'a', 'b', 'c'],
  ])
    expect(parkedCommandOf(words)).toBeUndefined()
})
