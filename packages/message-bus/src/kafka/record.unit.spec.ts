import { isAssayError } from '@assay/service-kit/errors'
import { describe, expect, it } from 'vitest'
import { testMessage } from '../testing/index.ts'
import { createNames } from './names.ts'
import type { Sized } from './publisher.ts'
import { decodedRecord, encodedRecord } from './record.ts'

const bytes = (headers: Sized['headers']) =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, Buffer.from(String(value))]))

describe('records', () => {
  it('given a message, then its record is a CloudEvent and decodes to the same message', () => {
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

  it('given data that are a CloudEvent with the id of the message, then they are the body of the record', () => {
    const event = { specversion: '1.0', id: '1', source: '/s', type: 'x', data: 1 }
    const message = testMessage('k', '1', event)
    const record = encodedRecord('/assay', message)
    expect(JSON.parse(record.value.toString())).toEqual(event)
    expect(decodedRecord('k', record.value, bytes(record.headers))).toEqual(message)
  })

  it('given records in another format, then they are not decoded as messages', () => {
    const { headers } = encodedRecord('/assay', testMessage('k', '1'))
    expect(decodedRecord('k', Buffer.from('{}'), {})).toBeUndefined()
    expect(decodedRecord('k', null, bytes(headers))).toBeUndefined()
    expect(decodedRecord('k', Buffer.from('[] x'), bytes(headers))).toBeUndefined()
    expect(decodedRecord('k', Buffer.from('3'), bytes(headers))).toBeUndefined()
  })

  it('given a message without an id, then it is refused as invalid', () => {
    expect(() => encodedRecord('/assay', testMessage('k', ''))).toThrow(
      expect.toSatisfy((error) => isAssayError(error, 'invalid')),
    )
  })
})

describe('names', () => {
  it('given a name that Kafka would refuse, then the error names the allowed characters', () => {
    expect(createNames('p.').topic('assay.catalog.assets')).toBe('p.assay.catalog.assets')
    expect(() => createNames('p.').topic('a b')).toThrow('letters')
  })
})
