import { isAssayError } from '@assay/service-kit/errors'
import type { KafkaMessage } from 'kafkajs'
import { describe, expect, it } from 'vitest'
import { testMessage } from '../testing/index.ts'
import { emptyJournal, entryRecord, followJournal, handledRecord, parkedEntries, replayRecord } from './journal.ts'
import { createNames } from './names.ts'
import type { Sized } from './publisher.ts'
import { decodedRecord, encodedRecord } from './record.ts'

const bytes = (headers: Sized['headers']) =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, Buffer.from(String(value))]))

describe('records', () => {
  it('given a message, when written and read, then it is the same, and its record a CloudEvent', () => {
    const message = { ...testMessage('k', '1', { a: [1, null] }), traceparent: '00-aa-bb-01' }
    const record = encodedRecord('/assay', message)
    expect(decodedRecord('k', record.value, bytes(record.headers))).toEqual(message)
    expect(JSON.parse(record.value.toString())).toEqual({
      specversion: '1.0',
      id: '1',
      source: '/assay',
      type: 'tested',
      subject: 'k',
      time: message.time,
      datacontenttype: 'application/json',
      tenant: 't',
      position: '1',
      traceparent: '00-aa-bb-01',
      data: { a: [1, null] },
    })
  })

  it('given data that are a CloudEvent of that id, when written, then they are the record', () => {
    const event = { specversion: '1.0', id: '1', source: '/s', type: 'x', data: 1 }
    const message = testMessage('k', '1', event)
    const record = encodedRecord('/assay', message)
    expect(JSON.parse(record.value.toString())).toEqual(event)
    expect(decodedRecord('k', record.value, bytes(record.headers))).toEqual(message)
  })

  it('given records of another make, when read, then they are no messages', () => {
    const { headers } = encodedRecord('/assay', testMessage('k', '1'))
    expect(decodedRecord('k', Buffer.from('{}'), {})).toBeUndefined()
    expect(decodedRecord('k', null, bytes(headers))).toBeUndefined()
    expect(decodedRecord('k', Buffer.from('[] x'), bytes(headers))).toBeUndefined()
    expect(decodedRecord('k', Buffer.from('3'), bytes(headers))).toBeUndefined()
  })

  it('given a message without an id, when written, then it is invalid', () => {
    expect(() => encodedRecord('/assay', testMessage('k', ''))).toThrow(
      expect.toSatisfy((error) => isAssayError(error, 'invalid')),
    )
  })
})

describe('the journal of what is parked', () => {
  const entry = (offset: number, key: string, state: 'parked' | 'back' = 'parked') => {
    const { value, headers } = encodedRecord('/assay', testMessage(key, String(offset)))
    return { offset, key, state, reason: 'odd', value, headers: bytes(headers) }
  }
  function journalOf(...records: Sized[]) {
    const journal = emptyJournal()
    for (const [offset, { key, value, headers }] of records.entries()) {
      const read: KafkaMessage = {
        key: Buffer.from(String(key)),
        value,
        headers: bytes(headers),
        offset: String(offset),
        timestamp: '0',
        attributes: 0,
      }
      followJournal(journal, read)
    }
    return journal
  }
  const offsets = (journal: ReturnType<typeof emptyJournal>) => parkedEntries(journal).map(({ offset }) => offset)

  it('given entries, when read back, then they are what they were, in order', () => {
    const journal = journalOf(entryRecord(0, entry(7, 'k')), entryRecord(0, entry(3, 'k')))
    expect(parkedEntries(journal)).toEqual([entry(3, 'k'), entry(7, 'k')])
  })

  it('given a key that was put back and in part handled, when read, then the rest is back and nothing parked', () => {
    const back = [1, 2].map((offset) => entryRecord(0, entry(offset, 'k', 'back')))
    const journal = journalOf(
      entryRecord(0, entry(1, 'k')),
      entryRecord(0, entry(2, 'k')),
      ...back,
      handledRecord(0, 1),
    )
    expect([...journal.entries.keys()]).toEqual([2])
    expect(offsets(journal)).toEqual([])
  })

  it('given a wish to put a key back, when read, then what was parked before is parked no more', () => {
    const journal = journalOf(
      entryRecord(0, entry(1, 'a:b')),
      entryRecord(0, entry(2, 'other')),
      replayRecord(0, 'a:b', false),
    )
    expect(offsets(journal)).toEqual([2])
    expect([...journal.replays]).toEqual(['a:b'])
    expect([...journalOf(replayRecord(0, 'k', false), replayRecord(0, 'k', true)).replays]).toEqual([])
  })
})

describe('names', () => {
  it('given a journal, when its topic is asked for, then it is told, and of others it is not', () => {
    const names = createNames('p.')
    expect(names.parked('assay.catalog.assets', 'g')).toBe('p.assay.catalog.assets.g.parked')
    expect(names.topicOfParked('p.assay.catalog.assets.g.parked', 'g')).toBe('assay.catalog.assets')
    for (const other of ['p.a.h.parked', 'a.g.parked', 'p.a', 'p..g.parked'])
      expect(names.topicOfParked(other, 'g')).toBeUndefined()
    expect(() => names.topic('a b')).toThrow('letters')
  })
})
