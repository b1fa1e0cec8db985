import { randomUUID } from 'node:crypto'
import type { JsonObject, NewEvent } from '../port.ts'

/** An event for tests, with a new id. */
export function newEvent(data: JsonObject = {}, type = 'SomethingHappened'): NewEvent {
  return {
    id: randomUUID(),
    type,
    data,
    metadata: { tenant: 'acme', actor: 'tester', schemaVersion: 1, occurredAt: '2026-01-02T03:04:05.678Z' },
  }
}

export function newEvents(count: number): NewEvent[] {
  return Array.from({ length: count }, (_, n) => newEvent({ n }))
}

/** A category and a stream that no other test uses, so that suites can share one server. */
export function freshStream(): { category: string; stream: string; other(name: string): string } {
  const category = `test${randomUUID().replaceAll('-', '')}`
  return { category, stream: `acme/${category}-1`, other: (name) => `acme/${category}-${name}` }
}
