import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  operations as allOperations,
  narrowestLimits,
  type Operation,
  pathText,
  type ServiceName,
} from '@assay/contracts'
import type { z } from 'zod'
import { collectWrites } from '../calls/writes.ts'
import { AssayError } from '../errors.ts'
import { answer } from './answer.ts'
import type { Answer, Call, Identity, Route } from './handler.ts'
import { jsonBody } from './json-body.ts'
import { asOfHeader } from './listing.ts'
import { ServedCall } from './served-call.ts'
import { parametersOf } from './target.ts'
import { IgnoredFields } from './unknown-fields.ts'

/** The parts of an admitted request. */
export interface Asked {
  identity: Identity
  /** The path parameters of the operation, percent-decoded. */
  params: Record<string, string>
  /** The query string, without the question mark. */
  query: string
  /** What the caller has recently written or seen. */
  seen: ReadonlyMap<ServiceName, readonly string[]>
}

/** Answers an admitted request. Rejects if it fails before the answer has begun. */
export type Serve = (asked: Asked, request: IncomingMessage, response: ServerResponse) => Promise<void>

function timesGiven(query: unknown, name: PropertyKey | undefined): number {
  const given = typeof query === 'object' && query !== null && name !== undefined ? Reflect.get(query, name) : undefined
  return Array.isArray(given) ? given.length : 1
}

/** Parses, or throws `invalid` naming the field: `items[0].columnName: must not be empty`. */
function parse<T extends z.ZodType>(schema: T, value: unknown, part: string): z.output<T> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  if (part === 'body' && value === undefined) throw new AssayError('invalid', 'This operation needs a JSON body.')
  const messages = narrowestLimits(parsed.error.issues.slice(0, 100))
    .slice(0, 10)
    .map(({ path, message }) => {
      const times = part === 'query' ? timesGiven(value, path[0]) : 1
      if (times > 1) return `${pathText(path)}: is given ${times} times; give it once`
      return `${path.length === 0 ? part : pathText(path)}: ${message}`
    })
  throw new AssayError('invalid', messages.join('; '))
}

/** Called with each answer before it is sent. */
export type OnAnswer = (
  identity: Identity,
  operation: Operation,
  answer: Answer<Operation>,
  request: IncomingMessage,
) => void

interface Served {
  operation: Operation
  handle: Route['handle']
  onAnswer: OnAnswer | undefined
  /** The parsed query of a request without a query; absent if the operation needs one. */
  noQuery: unknown
}

/** The handler's answer, with its writes. */
async function answerWithWrites({ handle }: Served, call: Call<Operation>): Promise<Answer<Operation>> {
  const { result, positions, states } = await collectWrites(() => handle(call))
  return { ...result, written: positions, states: [...states, ...(result.states ?? [])] }
}

async function serve(served: Served, asked: Asked, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { operation } = served
  const params = parse(operation.params, asked.params, 'params')
  const ignored = new IgnoredFields(request, response)
  const read = (schema: z.ZodType, value: unknown, part: 'query' | 'body') => {
    // Checked first, because a missing field may be the misspelled one.
    ignored.check(schema, value)
    return parse(schema, value, part)
  }
  const query =
    asked.query === '' && served.noQuery !== undefined
      ? served.noQuery
      : read(operation.query, parametersOf(asked.query), 'query')
  // Read only for operations with a body, after the permission check.
  const body = operation.body ? read(operation.body, await jsonBody(request, response), 'body') : undefined
  const { identity, seen } = asked
  const call = new ServedCall({ params, query, body, identity, seen, ignored }, request, response)
  const result = await (operation.method === 'GET' ? served.handle(call) : answerWithWrites(served, call))
  served.onAnswer?.(identity, operation, result, request)
  const { askedListing } = call
  if (askedListing?.asOf !== undefined) response.setHeader(asOfHeader, askedListing.asOf)
  answer(operation, result, response)
}

/**
 * Throws if routes and table differ: an operation has no route, a route has no operation, or a route is registered
 * twice.
 */
function assertComplete(service: ServiceName, routes: readonly Route[], operations: readonly Operation[]): void {
  const wanted = new Set(
    operations.filter((operation) => operation.service === service).map((operation) => operation.id),
  )
  for (const { operation } of routes) {
    if (!wanted.delete(operation.id))
      throw new AssayError(
        'internal',
        `Route ${operation.id} of ${service} is not in the table of operations, or is registered twice.`,
      )
  }
  if (wanted.size > 0) throw new AssayError('internal', `${service} has no route for ${[...wanted].join(', ')}.`)
}

/** The routes of one service by operation id, for callers that have matched the path and checked the permissions. */
export function createServing(deps: {
  service: ServiceName
  routes: readonly Route[]
  onAnswer?: OnAnswer
  operations?: readonly Operation[]
}): ReadonlyMap<string, Serve> {
  assertComplete(deps.service, deps.routes, deps.operations ?? allOperations)
  return new Map(
    deps.routes.map(({ operation, handle }) => {
      const noQuery = Object.freeze(operation.query.safeParse({}).data)
      const served = { operation, handle, onAnswer: deps.onAnswer, noQuery }
      return [operation.id, (asked, request, response) => serve(served, asked, request, response)]
    }),
  )
}
