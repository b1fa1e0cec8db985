import { openApiDocument, operations } from '@assay/contracts'
import { beforeAll, describe, expect, test } from 'vitest'
import { createClient, type HttpClient } from './client.ts'
import { inBatches } from './in-batches.ts'
import type { Target } from './target.ts'

/** The served document, and the methods of each path. The package `contracts` tests the content of the document. */
export function openApiSuite(open: () => Promise<Target>): void {
  describe('the OpenAPI document', () => {
    let client: HttpClient

    beforeAll(async () => {
      const target = await open()
      client = createClient(target, target.admin)
    })

    test('is generated from the table of operations', async () => {
      const document = await client.good('GET', '/openapi.json')
      expect(document).toEqual(JSON.parse(JSON.stringify(openApiDocument(document.info.version))))
    })

    test('lists exactly the methods of each path', async () => {
      const paths = [...new Set(operations.map(({ path }) => path))]
      const answers = await inBatches(paths, async (path) => {
        // No literal path has this segment, so the path matches the template.
        const answer = await client.call('PATCH', path.replace(/\{\w+\}/g, '999999999'))
        return [path, answer.status, (answer.headers.get('allow') ?? '').split(', ').toSorted()]
      })
      expect(answers).toEqual(paths.map((path) => [path, 405, methodsAt(path)]))
    })
  })
}

/** The methods of all templates that match an example of `path`: `/rules/{identifier}` also matches `/rules/executions`. */
function methodsAt(path: string): string[] {
  const filled = path.replace(/\{\w+\}/g, '999999999').split('/')
  const fitting = operations.filter((operation) => {
    const parts = operation.path.split('/')
    return parts.length === filled.length && parts.every((part, at) => part.startsWith('{') || part === filled[at])
  })
  return [...new Set(fitting.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].toSorted()
}
