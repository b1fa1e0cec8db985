import { type Operation, operations } from '@assay/contracts'
import type { HttpAnswer } from '../assay-process.ts'
import type { Recorder, Request } from './recorder.ts'
import { type Facts, requestOf } from './requests.ts'

type Json = HttpAnswer['json']

/** Calls operations. Their parameters are the facts: ids of things that were created so far. `more` overrides facts. */
export interface Caller {
  recorder: Recorder
  facts: Facts
  /** Rejects if the operation fails. */
  call(id: string, more?: Facts): Promise<Json>
  /** Calls until the operation succeeds. */
  eventually(id: string, more?: Facts): Promise<Json>
  /** Calls an operation unless it was called before; failures are collected. */
  callOnce(id: string, more?: Facts): Promise<void>
  /** Calls an operation that cannot succeed. */
  expectRefusal(id: string): Promise<void>
  /** Calls until `isDone`, without recording. */
  poll(id: string, params: Record<string, string>, isDone: (json: Json) => boolean): Promise<Json>
  failures: string[]
}

/** The id of the operation with this method and path (after `/catalog-server/api`). */
export function idOf(method: string, path: string): string {
  const found = operations.find((each) => each.method === method && each.path === `/catalog-server/api${path}`)
  if (!found) throw new Error(`No operation is ${method} ${path}.`)
  return found.id
}

export function createCaller(recorder: Recorder, facts: Facts): Caller {
  const byId = new Map(operations.map((operation): [string, Operation] => [operation.id, operation]))
  const failures: string[] = []
  const request = (id: string, more: Facts = {}): Request => {
    const operation = byId.get(id)
    if (!operation) throw new Error(`No operation has the id '${id}'.`)
    return requestOf(operation, { ...facts, ...more })
  }
  const collectFailure = (call: Promise<unknown>): Promise<void> =>
    call.then(
      () => undefined,
      (error: Error) => void failures.push(error.message),
    )
  return {
    recorder,
    facts,
    failures,
    expectRefusal: (id) => collectFailure(recorder.expectRefusal(id, request(id))),
    call: (id, more) => recorder.call(id, request(id, more)),
    eventually: (id, more) => recorder.eventually(id, request(id, more)),
    callOnce: async (id, more) => (recorder.has(id) ? undefined : collectFailure(recorder.call(id, request(id, more)))),
    poll: (id, params, isDone) => recorder.poll(id, { params }, isDone),
  }
}
