import { describe, expect, test } from 'vitest'
import { counted } from './stored-bytes.ts'

const event = (position: string, data: { [name: string]: string }) => ({
  id: position,
  type: 'Happened',
  stream: 'acme/thing-1',
  revision: 0,
  position,
  recordedAt: '',
  data,
  metadata: { actor: 'a', occurredAt: '', tenant: 'acme', schemaVersion: 1 },
})
const nothing = { tenant: 'acme', bytes: 0, events: 0, position: '' }

describe('stored bytes', () => {
  test('given events, when some arrive again, then each counts once, by the bytes of its data', () => {
    const [first, second] = [event('0001', { a: 'ä' }), event('0002', { b: '12' })]
    const once = counted(nothing, [first])
    expect(once).toEqual({ tenant: 'acme', bytes: 10, events: 1, position: '0001' })
    const twice = counted(once, [first, second])
    expect(twice).toEqual({ tenant: 'acme', bytes: 20, events: 2, position: '0002' })
    expect(counted(twice, [first, second])).toBe(twice)
  })
})
