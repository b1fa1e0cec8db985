import type { z } from 'zod'
import type { Permission } from '../values/permissions.ts'

export type ServiceName = 'gateway' | 'catalog' | 'policy' | 'execution' | 'sampling' | 'notification'
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

type Shape = z.ZodType

/**
 * One operation of the interface. The table of these drives the gateway, the services, the OpenAPI document and the
 * authorization tests; a route that is not in it does not start.
 */
export interface Operation<
  Params extends Shape = Shape,
  Query extends Shape = Shape,
  Body extends Shape = Shape,
  Answer extends Shape = Shape,
> {
  id: string
  method: Method
  /** `{name}` for path parameters. */
  path: string
  service: ServiceName
  permissions: readonly Permission[]
  /** The sentence for a key without the permissions, where it must be the same as for an asset that does not exist. */
  denied?: string
  /** The status for a key without the permissions, where it must be that of an asset that does not exist; absent: 403. */
  deniedStatus?: 404
  summary: string
  params: Params
  query: Query
  /** Absent: a body is ignored. An empty body reaches the schema as `undefined`. */
  body?: Body
  /** Absent: 204 without a body. `file`: bytes instead of JSON. */
  answer?: Answer
  file?: true
  /** Server-sent events: an answer that goes on until somebody ends it. */
  events?: true
  /** Absent: 200. */
  success?: 201
  /** Statuses beside 200/204, 400, 401, 403, 413, 429 that this operation answers. */
  errors: readonly (403 | 404 | 405 | 409 | 422 | 501)[]
  /** The parameter `wait` of its query says for how many seconds longer the answer may take. */
  waits?: true
  /** The body that generated tests send and the documentation shows; absent: one is made from the schemas. */
  example?: { body?: unknown }
}

/** Keeps the schemas' types, so that handlers and clients are typed by the table. */
export function operation<P extends Shape, Q extends Shape, B extends Shape, A extends Shape>(
  definition: Operation<P, Q, B, A>,
): Operation<P, Q, B, A> {
  return definition
}

export type ParamsOf<O> = O extends Operation<infer P, Shape, Shape, Shape> ? z.output<P> : never
export type QueryOf<O> = O extends Operation<Shape, infer Q, Shape, Shape> ? z.output<Q> : never
export type BodyOf<O> = O extends Operation<Shape, Shape, infer B, Shape> ? z.output<B> : never
export type AnswerOf<O> = O extends Operation<Shape, Shape, Shape, infer A> ? z.input<A> : never
