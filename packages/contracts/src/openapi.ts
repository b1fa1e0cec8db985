import { z } from 'zod'
import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi'
import { linksOf } from './documents/links.ts'
import { statusesOf, subjectOf, subjectsOf, taggedSubject } from './documents/subjects.ts'
import { asDocumented, documentedNamesOf } from './documents/templates.ts'
import { type Example, recordedExamples } from './examples/recorded.ts'
import { rulesOf } from './fields/field-rules.ts'
import { errorEnvelope } from './http/envelope.ts'
import type { Operation } from './operations/operation.ts'
import { operations } from './operations/table.ts'

const statusText: Readonly<Record<number, string>> = {
  400: 'The request is malformed; the message names the field.',
  401: 'Authentication by the key pair failed.',
  403: 'The key lacks a permission. Some operations also answer 403 for a resource that does not exist.',
  404: 'Not found.',
  405: 'The path does not support this method.',
  409: 'The name is taken.',
  413: 'The body is larger than 1 MiB.',
  422: 'The state does not allow it; the message says why.',
  429: 'Too many requests with this key.',
  501: 'Not supported for this policy type.',
}

/** Media types of downloads; anything else is sent as bytes. */
const fileTypes = [
  'application/vnd.apache.parquet',
  'text/csv',
  'text/plain',
  'application/json',
  'application/octet-stream',
]

/** Descriptions that all operations share. They are written only once. */
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

const optionalExample = (example: unknown): { example?: unknown } => (example === undefined ? {} : { example })

interface Parameter {
  in: string
  name: string
  example?: unknown
  description?: string
  schema?: { description?: string }
}

/** Documentation pages show the description of a parameter, not that of its schema. */
function describeParameters(parameters: readonly Parameter[]): void {
  for (const parameter of parameters) {
    const text = parameter.description ?? parameter.schema?.description
    if (text !== undefined) parameter.description = text
  }
}

/** Adds the example's values to the parameters. In the document, path parameters have other names. */
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
    description:
      'Token of the snapshot that the page shows. To get other pages of the same snapshot, send it as this header or as the query parameter `asOf`.',
    schema: { type: 'string' as const },
  },
}

const writtenHeader = {
  'x-assay-written': {
    description:
      'Position of the write in the log. Send it with a read of the audit that must include this write, through any gateway.',
    schema: { type: 'string' as const },
  },
}

const documented = operations.map(asDocumented)
const shownNames = new Map(operations.map(({ id, path }) => [id, documentedNamesOf(path)]))

const isListing = ({ query }: Operation): boolean => 'shape' in query && Object.hasOwn(query.shape as object, 'asOf')

/** The schema of path or query parameters, as an object. */
function parametersOf(schema: z.ZodType): z.ZodObject {
  if (schema instanceof z.ZodObject) return schema
  throw new TypeError('The parameters of an operation must be a z.object.')
}

function describe(operation: Operation, example: Example) {
  const { success, failures: ownFailures } = statusesOf(operation)
  const links = linksOf(operation, documented)
  // The gateway can answer any operation with 403 and 413.
  const failures = [...new Set([...ownFailures, 403, 413])].toSorted((one, other) => one - other)
  const content = operation.file
    ? Object.fromEntries(fileTypes.map((type) => [type, {}]))
    : operation.answer
      ? {
          [operation.events ? 'text/event-stream' : 'application/json']: {
            schema: operation.answer,
            ...optionalExample(example.answer),
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
                ...optionalExample(example.body),
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

const description = `Assay is a data catalog with a data reliability layer: it crawls data sources into assets that people search, tag and watch, and runs data quality policies on them, with exact verdicts and every bad row kept.

Every request carries a key pair, as the headers \`accessKey\` and \`secretKey\` or as \`Authorization: Bearer\`; use **Authorize** to try operations here.

**Unknown fields.** A misspelt body field or query parameter gets 400 with the probable name. Other unknown fields are dropped, and the header \`x-assay-ignored\` lists their paths. With \`Prefer: handling=strict\`, every unknown field gets 400.

**Errors** of every status have the body \`{"errors": [{"message", "status", "details"?}]}\`. A request gets 431 if its path, query and headers exceed 64 KiB, 408 if it takes too long to arrive, and 400 if it is not HTTP. If a store that an operation needs is unavailable, the answer is 503 with \`Retry-After\`. In the distributed form, 502 means that a service broke the connection, and 504 that it did not answer in time.`

/**
 * If a schema accepts arbitrary names but has known ones, the document shows the known names, such as the `value` of
 * each kind of item.
 */
function showNames({
  jsonSchema,
  zodSchema,
  io,
}: {
  jsonSchema: object
  zodSchema: z.core.$ZodType
  io: 'input' | 'output'
}) {
  const { names, emptyToo } = rulesOf(zodSchema)
  if (names === undefined || io === 'output') return
  for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key)
  const { $schema: _, ...shown } = z.toJSONSchema(names, { io: 'input', unrepresentable: 'any' })
  const discriminator =
    names instanceof z.ZodDiscriminatedUnion ? { discriminator: { propertyName: names.def.discriminator } } : {}
  const named = { ...shown, ...discriminator }
  Object.assign(jsonSchema, emptyToo ? { anyOf: [named, { type: 'object', maxProperties: 0 }] } : named)
}

/** The OpenAPI 3.1 document of all operations, generated from the table and the recorded examples. */
export function openApiDocument(version: string): object {
  const examples = recordedExamples()
  const paths: ZodOpenApiPathsObject = {}
  for (const operation of documented) {
    const described = describe(operation, examples[operation.id] ?? {})
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: described }
  }
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: { title: 'Assay', version, description, license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' } },
      servers: [{ url: '/' }],
      security: [{ accessKey: [], secretKey: [] }, { bearer: [] }],
      tags: subjectsOf(operations).map(taggedSubject),
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
    },
    { override: showNames },
  )
  // A copy, because operations share parameter objects and each operation needs its own example.
  const made: Record<string, Record<string, { operationId: string; parameters?: Parameter[] }>> = JSON.parse(
    JSON.stringify(document.paths),
  )
  for (const methods of Object.values(made))
    for (const { operationId, parameters = [] } of Object.values(methods)) {
      fillParameters(parameters, examples[operationId] ?? {}, shownNames.get(operationId) ?? new Map())
      describeParameters(parameters)
    }
  return { ...document, paths: made }
}
