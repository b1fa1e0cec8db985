import { type Operation, operations } from '@assay/contracts'
import type { HttpAnswer } from '../assay-process.ts'
import type { Recorder, Request } from './recorder.ts'
import { type Facts, requestOf } from './requests.ts'

type Json = HttpAnswer['json']

/** A recorder with its facts. Parameters in `more` override the facts. */
export interface Stage {
  recorder: Recorder
  facts: Facts
  /** Calls an operation on the facts. Rejects if it fails. */
  does(id: string, more?: Facts): Promise<Json>
  /** The same until it succeeds. */
  made(id: string, more?: Facts): Promise<Json>
  /** Calls an operation that was not called yet; failures are collected. */
  tries(id: string, more?: Facts): Promise<void>
  /** For an operation that cannot succeed. */
  isRefused(id: string): Promise<void>
  /** Reads until `isDone`, keeping nothing. */
  awaits(id: string, params: Record<string, string>, isDone: (json: Json) => boolean): Promise<Json>
  failures: string[]
}

/** The id of the operation with this method and path (after `/catalog-server/api`). */
export function idOf(method: string, path: string): string {
  const found = operations.find((each) => each.method === method && each.path === `/catalog-server/api${path}`)
  if (!found) throw new Error(`No operation is ${method} ${path}.`)
  return found.id
}

export function createStage(recorder: Recorder, facts: Facts): Stage {
  const byId = new Map(operations.map((operation): [string, Operation] => [operation.id, operation]))
  const failures: string[] = []
  const request = (id: string, more: Facts = {}): Request => {
    const operation = byId.get(id)
    if (!operation) throw new Error(`No operation has the id '${id}'.`)
    return requestOf(operation, { ...facts, ...more })
  }
  const heard = (call: Promise<unknown>): Promise<void> =>
    call.then(
      () => undefined,
      (error: Error) => void failures.push(error.message),
    )
  return {
    recorder,
    facts,
    failures,
    isRefused: (id) => heard(recorder.isRefused(id, request(id))),
    does: (id, more) => recorder.does(id, request(id, more)),
    made: (id, more) => recorder.eventually(id, request(id, more)),
    tries: async (id, more) => (recorder.has(id) ? undefined : heard(recorder.does(id, request(id, more)))),
    awaits: (id, params, isDone) => recorder.awaits(id, { params }, isDone),
  }
}
