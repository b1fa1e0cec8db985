import { describe, expect, test } from 'vitest'
import { recordedExamples } from '../examples/recorded.ts'
import { openApiDocument } from '../openapi.ts'
import { operations } from '../operations/table.ts'
import { publicTopics } from '../topics/messages.ts'
import { apiPage } from './api-page.ts'
import { asyncApiDocument } from './asyncapi.ts'
import { documentedPathOf } from './templates.ts'

type Content = { content?: Record<string, { example?: unknown }> }
type Described = {
  operationId: string
  tags: string[]
  'x-permissions': string[]
  parameters?: { in: string; name: string; example?: unknown; description?: string; schema: { description?: string } }[]
  requestBody?: Content
  responses: Record<string, Content>
}
const unrecorded = 'Record the example: `npm run documents:examples`.'
const { paths } = openApiDocument('1.0.0') as { paths: Record<string, Record<string, Described>> }

describe('the OpenAPI document', () => {
  test('has exactly the operations of the table', () => {
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
    )
    expect(documented.toSorted()).toEqual(
      operations.map(({ method, path, id }) => `${method} ${documentedPathOf(path)} ${id}`).toSorted(),
    )
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
  })

  test.each(operations)('describes $method $path: subject, permissions, statuses and examples', (operation) => {
    const described = paths[documentedPathOf(operation.path)]?.[operation.method.toLowerCase()]
    expect(described).toMatchObject({ tags: [expect.any(String)], 'x-permissions': [...operation.permissions] })
    const success = operation.success ?? (operation.answer || operation.file ? 200 : 204)
    const statuses = new Set([success, 400, 401, 403, 413, 429, ...operation.errors].map(String))
    expect(Object.keys(described?.responses ?? {}).toSorted()).toEqual([...statuses].toSorted())
    const exampleIn = ({ content = {} }: Content = {}) => Object.values(content)[0]?.example
    const body = exampleIn(described?.requestBody)
    if (operation.body) expect(operation.body.safeParse(body).error, unrecorded).toBe(undefined)
    for (const parameter of described?.parameters ?? [])
      if (parameter.in === 'path')
        expect([parameter.name, parameter.example]).toEqual([parameter.name, expect.any(String)])
    const { refused } = recordedExamples()[operation.id] ?? {}
    const answer = exampleIn(described?.responses[String(refused?.status ?? success)])
    if (refused) expect(answer, unrecorded).toEqual(refused.answer)
    else if (operation.answer) expect(operation.answer.safeParse(answer).error, unrecorded).toBe(undefined)
  })

  test("says that an empty marker clears the asset's marker", () => {
    const document = JSON.stringify(paths['/catalog-server/api/assets/{id}/config']?.put?.requestBody)
    expect(document).toContain('{"type":"object","maxProperties":0}')
  })

  test('puts the description of a parameter where documentation pages show it', () => {
    const parameters = Object.values(paths).flatMap((methods) =>
      Object.values(methods).flatMap((each) => each.parameters ?? []),
    )
    const described = parameters.filter(({ schema }) => schema.description !== undefined)
    expect(described.length).toBeGreaterThan(100)
    for (const { description, schema } of described) expect(description).toBe(schema.description)
  })

  test('has no two paths that differ only in parameter names, and names exactly the parameters of each path', () => {
    const shapes = Object.keys(paths).map((path) => path.replace(/\{\w+\}/g, '{}'))
    expect(shapes.filter((shape, at) => shapes.indexOf(shape) !== at)).toEqual([])
    for (const [path, methods] of Object.entries(paths))
      for (const { parameters = [] } of Object.values(methods))
        expect([path, parameters.flatMap((each) => (each.in === 'path' ? [each.name] : []))]).toEqual([
          path,
          [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
        ])
  })
})

test('given the table, then the page has a heading for every operation, and complete examples', () => {
  const lines = apiPage().split('\n')
  const headings = lines.filter((line) => line.startsWith('### ')).toSorted()
  expect(headings).toEqual(operations.map(({ method, path }) => `### ${method} ${path}`).toSorted())
  expect(lines.filter((line) => line.startsWith('```'))).toHaveLength(operations.length * 4)
})

test('given the public topics, then the AsyncAPI document has a channel for each, and its references resolve', () => {
  const document = asyncApiDocument('1.0.0') as Record<string, unknown>
  const text = JSON.stringify(document)
  for (const topic of Object.values(publicTopics)) expect(text).toContain(`"address":"${topic}"`)
  for (const [, path] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const target = path?.split('/').reduce<unknown>((at, step) => (at as Record<string, unknown>)?.[step], document)
    expect([path, target]).toEqual([path, expect.anything()])
  }
})
