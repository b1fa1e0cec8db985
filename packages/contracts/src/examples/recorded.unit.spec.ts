import { describe, expect, test } from 'vitest'
import { exampleOf } from '../example.ts'
import { errorEnvelope } from '../http/envelope.ts'
import type { Operation } from '../operations/operation.ts'
import { operations } from '../operations/table.ts'
import { examplePath, recordedExamples } from './recorded.ts'

const examples = recordedExamples()
const again = 'Record the examples again: `npm run documents:examples`.'
const all = operations.map((each): [string, Operation] => [each.id, each])
const exampleFor = (id: string) => examples[id] ?? {}

/** Every scalar in a value, with the name of its field; elements of a list have the name of the list's field. */
function leaves(value: unknown, name = ''): [string, string][] {
  if (Array.isArray(value)) return value.flatMap((each) => leaves(each, name))
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([field, each]) => leaves(each, field))
  return value === null || value === undefined ? [] : [[name, String(value)]]
}

test('every operation has an example, and every example has an operation', () => {
  expect(Object.keys(examples).toSorted(), again).toEqual(operations.map(({ id }) => id).toSorted())
})

describe('the example of each operation', () => {
  test.each(all)(
    '%s is complete, has no placeholder, and names the same thing in request and answer',
    (id, operation) => {
      const { params = {}, query = {}, body, answer, refused } = exampleFor(id)
      expect(operation.params.safeParse(params).error, again).toBe(undefined)
      expect(operation.query.safeParse(query).error, again).toBe(undefined)
      if (operation.body) expect(operation.body.safeParse(body).error, again).toBe(undefined)
      else expect(body).toBe(undefined)
      expect(() => examplePath(operation, { params, query })).not.toThrow()
      if (refused) {
        expect(operation.errors).toContain(refused.status)
        expect(errorEnvelope.safeParse(refused.answer).error).toBe(undefined)
      } else if (operation.answer) expect(operation.answer.safeParse(answer).error, again).toBe(undefined)
      else expect(answer).toBe(undefined)

      const texts = leaves([params, query, body, answer]).map(([, value]) => value)
      expect(texts).not.toContain('text')
      if (operation.answer && answer !== undefined && leaves(answer).length > 3)
        expect(answer).not.toEqual(exampleOf(operation.answer))

      if (answer === undefined || refused) return
      const answered = leaves(answer)
      // The last parameter of an operation that reads one thing identifies the thing.
      const last = /\{(\w+)\}$/.exec(operation.path)?.[1]
      if (operation.method === 'GET' && last !== undefined && !/associations/.test(operation.path))
        expect(answered.map(([, value]) => value)).toContain(params[last])
      // Times are text in requests and numbers in answers.
      const sent = Map.groupBy(leaves(body), ([name]) => name)
      for (const [name, values] of sent) {
        const inAnswer = answered.filter(([each]) => each === name).map(([, value]) => value)
        if (inAnswer.length > 0 && values.length === 1 && name !== 'validTill')
          expect(
            values.some(([, value]) => inAnswer.includes(value)),
            `${name}: ${inAnswer}`,
          ).toBe(true)
      }
    },
  )

  test('examples by id and by UID or name show the same asset, and the same policy of each type', () => {
    const idIn = (id: string, pointer: 'data' | 'rule') => {
      const { answer } = exampleFor(id)
      return leaves(
        typeof answer === 'object' && answer !== null ? Object.entries(answer).find(([at]) => at === pointer) : [],
      ).find(([name]) => name === 'id')?.[1]
    }
    expect(idIn('getAsset', 'data')).toBe(idIn('getAssetByUid', 'data'))
    expect(exampleFor('getAsset').params?.id).toBe(idIn('getAssetByUid', 'data'))
    const byName = operations.filter(({ method, path }) => method === 'GET' && /\/byName\/\{name\}$/.test(path))
    expect(byName.length).toBeGreaterThanOrEqual(9)
    for (const { id, path } of byName) {
      const byId = operations.find(
        (each) => each.method === 'GET' && each.path.replace(/\{\w+\}/, '') === path.replace('byName/{name}', ''),
      )
      expect([id, exampleFor(byId?.id ?? '').params]).toEqual([
        id,
        { [byId?.path.match(/\{(\w+)\}/)?.[1] ?? '']: idIn(id, 'rule') },
      ])
    }
  })
})
