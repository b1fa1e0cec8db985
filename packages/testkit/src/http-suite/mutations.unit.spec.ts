import { exampleOf, jsonSchemaOf, type Operation, operations } from '@assay/contracts'
import { describe, expect, test } from 'vitest'
import { badValues, diagonal, mutationsOf } from './mutations.ts'

function tableOf(operation: Operation) {
  if (!operation.body) return []
  const schema = jsonSchemaOf(operation.body)
  const definitions = (schema.$defs ?? {}) as Record<string, unknown>
  return mutationsOf(schema, operation.example?.body ?? exampleOf(operation.body), definitions, 2)
}

describe('the table of bad input', () => {
  const bodies = operations.filter((each, at) => operations.findIndex(({ body }) => body === each.body) === at)
  const withBody = bodies.filter(({ body }) => body !== undefined).map((each): [string, Operation] => [each.id, each])

  test.each(withBody)(
    'given each field of the body of %s with each fault, when it is parsed, then it is accepted or refused and the error names the field, and unstorable text is never accepted',
    (_, operation) => {
      const unstorable = [': with NUL', ': half of a surrogate pair']
      const accepted = tableOf(operation).filter(({ title, value }) => {
        const { success, error } = operation.body?.safeParse(value) ?? {}
        if (!success) expect(error?.issues[0]?.message).toMatch(/\w/)
        return success && unstorable.some((end) => title.endsWith(end))
      })
      expect(accepted.map(({ title }) => title)).toEqual([])
    },
    60_000,
  )

  test('given a part per call, when calls continue where the previous call ended, then every field and every fault appears', () => {
    const list = ['one', 'two', 'three'].flatMap((field) =>
      badValues.map(({ title, value }) => ({ title: `${field}: ${title}`, value })),
    )
    const sent = [0, 1, 2].flatMap((seed) => diagonal(list, badValues.length, seed))
    expect(new Set(sent.map(({ title }) => title)).size).toBe(list.length)
    const first = diagonal(list, badValues.length, 0).map(({ title }) => title)
    expect(new Set(first.map((title) => title.split(': ')[0])).size).toBe(3)
  })
})
