import { z } from 'zod'
import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi'
import { linksOf } from './documents/links.ts'
import { statusesOf, subjectOf, subjectsOf } from './documents/subjects.ts'
import { asDocumented, documentedNamesOf } from './documents/templates.ts'
import { type Example, recordedExamples } from './examples/recorded.ts'
import { errorEnvelope } from './http/envelope.ts'
import type { Operation } from './operations/operation.ts'
import { operations } from './operations/table.ts'

const statusText: Readonly<Record<number, string>> = {
  400: 'The request is malformed; the message names the field.',
  401: 'Authentication by the key pair failed.',
  403: 'The key lacks a permission, or, where the interface says so, the thing is not there.',
  404: 'Not found.',
  405: 'The method is not known on this path.',
  409: 'The name is taken.',
  413: 'The body is larger than 1 MiB.',
  422: 'The state does not allow it; the message says why.',
  429: 'Too many requests with this key.',
  501: 'Not supported for this policy type.',
}

/** What files of rows come as; whatever else is there, as bytes. */
const fileTypes = ['application/vnd.apache.parquet', 'text/csv', 'application/json', 'application/octet-stream']

/** What every operation says in the same words stands once. */
const failureOf = (status: number, example?: unknown) => ({
  description: statusText[status] ?? 'Failed.',
  content: {
    'application/json': {
      schema: errorEnvelope,
      example: example ?? { errors: [{ message: statusText[status] ?? 'Failed.', status }] },
    },
  },
})
const failureName = (status: number) => `Failure${status}`

const exampleBeside = (example: unknown): { example?: unknown } => (example === undefined ? {} : { example })

interface Parameter {
  in: string
  name: string
  example?: unknown
}

/** Sets what the example has in its path, under its own names of parameters, and in its query. */
function fillParameters(
  parameters: readonly Parameter[],
  { params = {}, query = {} }: Example,
  shownNames: ReadonlyMap<string, string>,
): void {
  const inPath = Object.fromEntries(
    Object.entries(params).map(([name, value]) => [shownNames.get(name) ?? name, value]),
  )
  for (const parameter of parameters) {
    const value = (parameter.in === 'path' ? inPath : query)[parameter.name]
    if (value !== undefined) parameter.example = value
  }
}

const asOfHeader = {
  'x-assay-as-of': {
    description: 'The moment that the page is of; as the query parameter `asOf` it bounds other pages to the same.',
    schema: { type: 'string' as const },
  },
}

const writtenHeader = {
  'x-assay-written': {
    description: 'Where the log has what was written; sent along, the audit shows it, whichever gateway answers.',
    schema: { type: 'string' as const },
  },
}

const documented = operations.map(asDocumented)
const shownNames = new Map(operations.map(({ id, path }) => [id, documentedNamesOf(path)]))

const isListing = ({ query }: Operation): boolean => 'shape' in query && Object.hasOwn(query.shape as object, 'asOf')

/** The schema of a path's or a query's parameters, which have names. */
function parametersOf(schema: z.ZodType): z.ZodObject {
  if (schema instanceof z.ZodObject) return schema
  throw new TypeError('The parameters of an operation must be a z.object.')
}

function describe(operation: Operation, example: Example) {
  const { success, failures: told } = statusesOf(operation)
  const links = linksOf(operation, documented)
  // What the gateway can say of anything.
  const failures = [...new Set([...told, 403, 413])].toSorted((one, other) => one - other)
  const content = operation.file
    ? Object.fromEntries(fileTypes.map((type) => [type, {}]))
    : operation.answer
      ? {
          [operation.events ? 'text/event-stream' : 'application/json']: {
            schema: operation.answer,
            ...exampleBeside(example.answer),
          },
        }
      : undefined
  return {
    operationId: operation.id,
    summary: operation.summary,
    tags: [subjectOf(operation)],
    'x-permissions': [...operation.permissions],
    requestParams: { path: parametersOf(operation.params), query: parametersOf(operation.query) },
    ...(operation.body
      ? {
          requestBody: {
            content: {
              'application/json': {
                schema: operation.body,
                ...exampleBeside(example.body),
              },
            },
          },
        }
      : {}),
    responses: {
      [String(success)]: {
        description: content ? 'Done.' : 'Done, without a body.',
        ...(content ? { content } : {}),
        ...(isListing(operation) ? { headers: asOfHeader } : {}),
        ...(operation.method === 'GET' ? {} : { headers: writtenHeader }),
        ...(Object.keys(links).length > 0 ? { links } : {}),
      },
      ...Object.fromEntries(
        failures.map((status) => [
          String(status),
          example.refused?.status === status
            ? failureOf(status, example.refused.answer)
            : { $ref: `#/components/responses/${failureName(status)}` },
        ]),
      ),
    },
  }
}

const description =
  'A data catalog with a data reliability layer. Before it is known what a request is for, it is answered 431 when its path, query and headers are larger than 64 KiB, 408 when it takes too long to arrive, and 400 when it is no HTTP; with the same body as other errors. So are 503 (with Retry-After) while what the operation needs is not to be had, and in the distributed form 502 and 504 when a service breaks off or does not answer in time.'

/** The OpenAPI 3.1 document of all operations, made from the table and from recorded examples. */
export function openApiDocument(version: string): object {
  const examples = recordedExamples()
  const paths: ZodOpenApiPathsObject = {}
  for (const operation of documented) {
    const described = describe(operation, examples[operation.id] ?? {})
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: described }
  }
  const document = createDocument({
    openapi: '3.1.0',
    info: { title: 'Assay', version, description, license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    security: [{ accessKey: [], secretKey: [] }, { bearer: [] }],
    tags: subjectsOf(operations).map((name) => ({ name })),
    components: {
      responses: Object.fromEntries(
        Object.keys(statusText).map((status) => [failureName(Number(status)), failureOf(Number(status))]),
      ),
      securitySchemes: {
        accessKey: { type: 'apiKey', in: 'header', name: 'accessKey' },
        secretKey: { type: 'apiKey', in: 'header', name: 'secretKey' },
        bearer: { type: 'http', scheme: 'bearer', description: 'base64(accessKey:secretKey)' },
      },
    },
    paths,
  })
  // A copy: parameters of the same schema are one object, which has another example in each operation.
  const made: Record<string, Record<string, { operationId: string; parameters?: Parameter[] }>> = JSON.parse(
    JSON.stringify(document.paths),
  )
  for (const methods of Object.values(made))
    for (const { operationId, parameters = [] } of Object.values(methods)) {
      fillParameters(parameters, examples[operationId] ?? {}, shownNames.get(operationId) ?? new Map())
    }
  return { ...document, paths: made }
}
