import { jsonSchemaOf, type Operation, operations } from '@assay/contracts'
import type { Fixtures } from './fixtures.ts'
import { badValues, diagonal, type Mutation, mutationsOf, spread } from './mutations.ts'
import { bodyOf } from './requests.ts'

/** Operations with the same body share its mutations: each operation gets a part of them. */
function shareOf(operation: Operation, perBody: number): { count: number; seed: number } {
  const sharing = operations.filter(({ body }) => body === operation.body)
  return { count: Math.max(4, Math.ceil(perBody / sharing.length)), seed: sharing.indexOf(operation) }
}

/** Bodies of an operation with one fault each, at most `perBody`. None if the operation has no body. */
export function badBodiesOf(operation: Operation, fixtures: Fixtures, perBody: number): Mutation[] {
  if (!operation.body) return []
  const schema = jsonSchemaOf(operation.body)
  const definitions = (schema.$defs ?? {}) as Record<string, unknown>
  const whole = [
    { title: 'no body', value: undefined },
    { title: 'cut off', value: '{"a":' },
    { title: 'deep', value: `${'['.repeat(5000)}${']'.repeat(5000)}` },
    ...badValues.map(({ title, value }) => ({ title: `the body is ${title}`, value: JSON.stringify(value) })),
  ]
  const fields = mutationsOf(schema, bodyOf(operation, fixtures), definitions, 2)
  const { count, seed } = shareOf(operation, perBody)
  return [...spread(whole, Math.ceil(count / 4), seed), ...diagonal(fields, count, seed)]
}
