import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSqliteDocuments } from '@assay/documents/sqlite'
import { createParkedMessages, parkedCollections } from '@assay/message-bus'
import { createEmbeddedBus } from '@assay/message-bus/embedded'
import { systemClock, systemTimers } from '@assay/service-kit/node'
import { openDatabase } from '@assay/sqlite'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { parkedCommandOf, runParked } from './parked.ts'

let folder: string
let close: () => Promise<void>
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-parked-'))
})
afterEach(async () => {
  await close()
  await rm(folder, { recursive: true, force: true })
})

function open() {
  const database = openDatabase({ path: join(folder, 'assay.db'), synchronous: 'NORMAL' })
  const bus = createEmbeddedBus({ database, clock: systemClock, timers: systemTimers, onError: () => undefined })
  close = async () => {
    await bus.close()
    await database.close()
  }
  return bus
}

const message = (id: string, key: string) => ({
  id,
  key,
  type: 'x',
  tenant: 't',
  time: '2026-11-20T10:00:00.000Z',
  position: id,
  data: {},
})

async function said(lines: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const line of lines) text += line
  return text
}

describe('parked messages', () => {
  test('given parked messages, when they are listed and replayed, then the group handles them once it runs again', async () => {
    const bus = open()
    const outcome = { value: 'park' }
    const handled: string[] = []
    const handle = async ({ message: { id } }: { message: { id: string } }) => {
      if (outcome.value === 'park') return { kind: 'park' as const, reason: 'cannot be read' }
      handled.push(id)
      return { kind: 'done' as const }
    }
    const first = await bus.subscribe({ topics: ['a', 'b'], group: 'g', handle })
    await bus.publish('a', [message('1', 'k'), message('2', 'k'), message('3', 'l')])
    await bus.publish('b', [message('4', 'k2')])
    await vi.waitFor(async () => expect(await bus.parked('g')).toHaveLength(4), { timeout: 20_000 })
    await first.close()
    const run = (...words: string[]) => {
      const command = parkedCommandOf(words)
      if (command?.verb !== 'list' && command?.verb !== 'replay' && command?.verb !== 'drop')
        throw new Error('not understood')
      return said(runParked(bus, command, ['other', 'g']))
    }
    expect(await run('list', 'b')).toMatch(
      /^\{"topic":"b","group":"g","key":"k2".*"reason":"cannot be read"\}\n1 message is/,
    )
    expect(await run('list')).toMatch(/4 messages are parked\.\n$/)
    expect(await run('list', 'a', 'other')).toBe('0 messages are parked.\n')
    await expect(run('replay', 'c', 'g')).rejects.toMatchObject({ code: 'not-found' })
    await expect(run('drop', 'a', 'g', 'other')).rejects.toMatchObject({ code: 'not-found' })
    expect(await run('drop', 'a', 'g', 'k')).toBe('1 message was dropped, and 1 of its key released.\n')
    expect(await run('replay', 'a', 'g')).toBe('1 message was released, of 1 keys.\n')
    outcome.value = 'done'
    const second = await bus.subscribe({ topics: ['a', 'b'], group: 'g', handle })
    await vi.waitFor(() => expect(handled.toSorted()).toEqual(['2', '3']), { timeout: 20_000 })
    await second.close()
  })

  test('given a hundred keys in documents, when their topic is replayed, then all documents are read once for the list and once for the release', async () => {
    const database = openDatabase({ path: join(folder, 'assay.db'), synchronous: 'NORMAL' })
    close = () => database.close()
    const documents = createSqliteDocuments({ database, collections: parkedCollections })
    let scans = 0
    const store = createParkedMessages({
      ...documents,
      scan(collection, options) {
        scans++
        return documents.scan(collection, options)
      },
    })
    const where = { group: 'g', topic: 'a', partition: 0, reason: 'odd', isReleased: false }
    const keys = Array.from({ length: 100 }, (_, order) => `k${order}`)
    await store.write(
      keys.map((key, order) => {
        const { data: _, ...head } = message(String(order), key)
        return { entry: { ...where, id: key, revision: 0, key, order, message: head } }
      }),
    )
    const lines = await said(runParked(store, { verb: 'replay', topic: 'a', group: 'g' }, ['g']))
    expect([lines, scans]).toEqual(['100 messages were released, of 100 keys.\n', 2])
    expect([await store.parkedCount('g'), (await store.released('g')).length]).toEqual([0, 100])
  })

  test('given invalid arguments, then they are refused', () => {
    close = async () => undefined
    for (const words of [[], ['replay', 'a'], ['list', 'a', 'b', 'c'], ['list', '--help'], ['drop', 'a', 'b']])
      expect(parkedCommandOf(words)).toBeUndefined()
  })
})
