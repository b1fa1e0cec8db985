import { documentedPathOf, type Operation, operations, recordedExamples } from '@assay/contracts'
import { beforeAll, describe, expect, test } from 'vitest'
import { createClient, type HttpClient } from './client.ts'
import type { Target } from './target.ts'

interface Described {
  operationId: string
  'x-permissions': string[]
  requestBody?: { content: Record<string, { example?: unknown }> }
  responses: Record<string, { content?: Record<string, { example?: unknown }> }>
}

/** The document against the table, and against what the server does. */
export function openApiSuite(open: () => Promise<Target>): void {
  describe('the OpenAPI document', () => {
    let client: HttpClient
    let paths: Record<string, Record<string, Described>>

    beforeAll(async () => {
      const target = await open()
      client = createClient(target, target.admin)
      const document = await client.good('GET', '/openapi.json')
      expect(document.openapi).toBe('3.1.0')
      paths = document.paths
    })

    test('has the operations of the table, each once, and no other', () => {
      const documented = Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
      )
      expect(documented.toSorted()).toEqual(
        operations.map(({ method, path, id }) => `${method} ${documentedPathOf(path)} ${id}`).toSorted(),
      )
      expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
    })

    const all = operations.map((each): [string, Operation] => [each.id, each])
    test.each(all)('says of %s what it takes, what it answers, with an example', (_, operation) => {
      const described = paths[documentedPathOf(operation.path)]?.[operation.method.toLowerCase()]
      const hasContent = operation.answer !== undefined || operation.file === true
      expect(described?.['x-permissions']).toEqual([...operation.permissions])
      const success = hasContent ? (operation.success ?? 200) : 204
      const type = operation.events ? 'text/event-stream' : 'application/json'
      const statuses = [success, 400, 401, 403, 413, 429, ...operation.errors].map(String)
      expect(
        Object.keys(described?.responses ?? {})
          .map(String)
          .toSorted(),
      ).toEqual([...new Set(statuses)].toSorted())
      const said = `${operation.id} has no example: \`npm run documents:examples\` records it.`
      const { refused } = recordedExamples()[operation.id] ?? {}
      if (operation.body)
        expect(operation.body.safeParse(described?.requestBody?.content['application/json']?.example).error, said).toBe(
          undefined,
        )
      if (refused)
        expect(described?.responses[String(refused.status)]?.content?.['application/json']?.example, said).toEqual(
          refused.answer,
        )
      else if (operation.answer)
        expect(
          operation.answer.safeParse(described?.responses[String(success)]?.content?.[type]?.example).error,
          said,
        ).toBe(undefined)
    })

    test.each(Object.entries(Object.groupBy(operations, ({ path }) => path)))(
      'documents each method that %s knows, and no other',
      async (path, known) => {
        // A value that no literal path has in that place, so that this very template answers.
        const answer = await client.call('PATCH', path.replace(/\{\w+\}/g, '999999999'))
        const methods = (known ?? []).flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
        const allowed = (answer.headers.get('allow') ?? '').split(', ')
        expect(answer.status).toBe(405)
        expect(allowed).toEqual(expect.arrayContaining(methods))
        const overlapping = operations
          .filter((each) => fits(each.path, path))
          .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
        expect(allowed.toSorted()).toEqual([...new Set(overlapping)].toSorted())
      },
    )
  })
}

/** Whether a template also takes what another one's example takes: `/rules/{identifier}` takes `/rules/executions`. */
function fits(template: string, path: string): boolean {
  const filled = path.replace(/\{\w+\}/g, '999999999').split('/')
  const parts = template.split('/')
  return parts.length === filled.length && parts.every((part, at) => part.startsWith('{') || part === filled[at])
}
