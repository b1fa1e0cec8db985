import { documentedPathOf, operations } from '@assay/contracts'
import { createClient } from './client.ts'
import { makeFixtures } from './fixtures.ts'
import { bodyOf, fixturesIn } from './requests.ts'
import type { Target } from './target.ts'

interface Parameter {
  in: string
  example?: unknown
}
interface Described {
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { example?: unknown }> }
}

/**
 * The OpenAPI document of a target, with ids of existing things as examples, because a tool that generates requests
 * does not know any. Operations that delete get no examples, because later requests need the things.
 */
export async function fedDocument(target: Target): Promise<string> {
  const client = createClient(target, target.admin)
  const document = await client.good('GET', '/openapi.json')
  const fixtures = await makeFixtures(client, target.sharedFolder)
  // The tool would wait for the end of a stream of events, which has none.
  for (const { path } of operations.filter(({ events }) => events)) delete document.paths[documentedPathOf(path)]
  for (const operation of operations.filter(({ events }) => !events)) {
    const described: Described | undefined =
      document.paths[documentedPathOf(operation.path)]?.[operation.method.toLowerCase()]
    const inPath = (described?.parameters ?? []).filter((parameter) => parameter.in === 'path')
    // The document's own examples are from another installation.
    for (const parameter of inPath) delete parameter.example
    if (operation.method === 'DELETE') continue
    const names = fixturesIn(operation)
    inPath.forEach((parameter, at) => {
      parameter.example = decodeURIComponent(fixtures[names[at] ?? ''] ?? '')
    })
    const content = described?.requestBody?.content['application/json']
    if (content) content.example = bodyOf(operation, fixtures)
  }
  return JSON.stringify(document)
}
