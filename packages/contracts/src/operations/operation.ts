import type { z } from 'zod'
import type { Permission } from '../values/permissions.ts'

export type ServiceName = 'gateway' | 'catalog' | 'policy' | 'execution' | 'sampling' | 'notification'
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

type Shape = z.ZodType

/**
 * One operation of the interface. The table of operations drives the gateway, the services, the OpenAPI document and
 * the authorization tests. A service refuses to start with a route that is not in the table.
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
  /** The message for a key without the permissions. Set if it must equal the message for a missing asset. */
  denied?: string
  /**
   * The status for a key without the permissions. Set if it must equal the status for a missing asset. Default: 403.
   */
  deniedStatus?: 404
  summary: string
  params: Params
  query: Query
  /** The schema of the body. If absent, a body is ignored. The schema gets an empty body as `undefined`. */
  body?: Body
  /** The schema of the answer. If absent, the answer is 204 without a body. `file`: bytes instead of JSON. */
  answer?: Answer
  file?: true
  /** Server-sent events: the answer continues until one side ends it. */
  events?: true
  /** Status of the answer. Absent means 200. */
  success?: 201
  /** Additional statuses of this operation; every operation can answer 200/204, 400, 401, 403, 413 and 429. */
  errors: readonly (403 | 404 | 405 | 409 | 410 | 422 | 501)[]
  /**
   * Whether the operation has the query parameter `wait`, which extends the deadline of the answer by that many
   * seconds.
   */
  waits?: true
  /** Body for generated tests and the documentation. If absent, it is generated from the schemas. */
  example?: { body?: unknown }
}

/** Keeps the schemas' types, so that the table types handlers and clients. */
export function operation<P extends Shape, Q extends Shape, B extends Shape, A extends Shape>(
  definition: Operation<P, Q, B, A>,
): Operation<P, Q, B, A> {
  return definition
}

export type ParamsOf<O> = O extends Operation<infer P, Shape, Shape, Shape> ? z.output<P> : never
export type QueryOf<O> = O extends Operation<Shape, infer Q, Shape, Shape> ? z.output<Q> : never
export type BodyOf<O> = O extends Operation<Shape, Shape, infer B, Shape> ? z.output<B> : never
export type AnswerOf<O> = O extends Operation<Shape, Shape, Shape, infer A> ? z.input<A> : never
