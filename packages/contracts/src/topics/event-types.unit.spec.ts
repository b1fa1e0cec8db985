import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { eventSchema } from '../documents/asyncapi.ts'
import { recordedEvents } from '../examples/recorded.ts'
import { breaksBetween } from './event-types/additions.ts'
import { eventTypes, publicEventTypes } from './event-types.ts'

const versions = new URL('./event-types/versions/', import.meta.url)
const schemas: Record<string, object> = Object.fromEntries(
  publicEventTypes.flatMap(({ service, types }) =>
    Object.entries(types).map(([name, type]) => [`io.assay.${service}.${name}`, eventSchema(service, name, type)]),
  ),
)

test('given the events of a real run, then each has a type of the table and fits its schema', () => {
  const events = Object.entries(recordedEvents())
  expect(events.length).toBeGreaterThan(70)
  for (const [type, event] of events) {
    const known = eventTypes.get(type)
    expect([type, known?.data.safeParse(event.data).error]).toEqual([type, undefined])
    expect(event.subject.split('/')[0]).toBe(known?.entity)
    expect(event.source).toMatch(/^\/assay\/default\/(catalog|policy|execution|sampling|notification)$/)
  }
})

describe.each(readdirSync(versions))('given the schemas of %s', (file) => {
  test('then today has only additions', () => {
    const earlier: Record<string, object> = JSON.parse(readFileSync(new URL(file, versions), 'utf8'))
    const breaks = Object.entries(earlier).flatMap(([type, before]) => {
      const now = schemas[type]
      return now === undefined ? [`${type} is missing`] : breaksBetween(before, now).map((each) => `${type}: ${each}`)
    })
    expect(breaks).toEqual([])
  })
})

test.each([
  ['a field is removed', { a: { type: 'string' } }, {}, ['a is missing']],
  ['a field is added', {}, { a: { type: 'string' } }, []],
  [
    'a field becomes nullable',
    { a: { type: 'string' } },
    { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
    ['a can be null now'],
  ],
  ['a field has one value of many', { a: { type: 'string' } }, { a: { enum: ['x'] } }, []],
  ['an enum grows', { a: { enum: ['x'] } }, { a: { enum: ['x', 'y'] } }, ['a can be "y" now']],
  ['a number becomes whole', { a: { type: 'number' } }, { a: { type: 'integer' } }, []],
  ['a whole number gets decimals', { a: { type: 'integer' } }, { a: { type: 'number' } }, ['a can be number now']],
])('when %s, then it counts as a break exactly if a consumer could fail', (_, before, after, breaks) => {
  expect(breaksBetween({ type: 'object', properties: before }, { type: 'object', properties: after })).toEqual(breaks)
})

test('when a guaranteed field becomes optional, then it counts as a break', () => {
  const properties = { a: { type: 'string' } }
  expect(breaksBetween({ properties, required: ['a'] }, { properties })).toEqual(['a is no longer guaranteed'])
})
