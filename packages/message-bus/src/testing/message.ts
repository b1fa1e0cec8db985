import type { Message } from '../port.ts'

export function testMessage(key: string, id: string, data: unknown = null): Message {
  return { id, key, type: 'tested', tenant: 't', time: '2026-01-01T00:00:00.000Z', position: id, data }
}
