import { type Example, examplePath, type Operation, operations } from '@assay/contracts'
import type { HttpAnswer } from '../assay-process.ts'
import type { HttpClient } from '../http-suite/client.ts'

export type Request = Pick<Example, 'params' | 'query' | 'body'>

export interface Recorder {
  /**
   * Calls an operation and records its first request and answer. Rejects if the operation fails. Returns undefined for
   * a 501.
   */
  call(id: string, request?: Request): Promise<HttpAnswer['json']>
  /** Calls until the operation succeeds: another service may not know a new thing yet, or is still processing it. */
  eventually(id: string, request?: Request): Promise<HttpAnswer['json']>
  /** Calls an operation that cannot succeed, and records its refusal. Rejects if it succeeds. */
  expectRefusal(id: string, request: Request): Promise<void>
  /** Calls until `isDone`, without recording. */
  poll(id: string, request: Request, isDone: (json: HttpAnswer['json']) => boolean): Promise<HttpAnswer['json']>
  has(id: string): boolean
  examples(): Record<string, Example>
}

const byId = new Map(operations.map((operation) => [operation.id, operation]))

const isEmpty = (fields: object | undefined) => fields === undefined || Object.keys(fields).length === 0

const sent = ({ params, query, body }: Request): Request => ({
  ...(params && !isEmpty(params) ? { params } : {}),
  ...(query && !isEmpty(query) ? { query } : {}),
  ...(body === undefined ? {} : { body }),
})

/** `listen` returns the beginning of a stream of events, because the stream has no end. */
export function createRecorder(client: HttpClient, listen: (path: string) => Promise<string>): Recorder {
  const recorded: Record<string, Example> = {}
  const operationOf = (id: string): Operation => {
    const found = byId.get(id)
    if (!found) throw new Error(`No operation has the id '${id}'.`)
    return found
  }
  const recorder: Recorder = {
    async call(id, request = {}) {
      const operation = operationOf(id)
      const path = examplePath(operation, request)
      if (operation.events) {
        recorded[id] ??= { ...sent(request), answer: await listen(path) }
        return undefined
      }
      const answer = await client.call(operation.method, path, request.body)
      if (answer.status === 501) {
        recorded[id] ??= { ...sent(request), refused: { status: 501, answer: answer.json } }
        return undefined
      }
      if (answer.status >= 300) throw new Error(`${id}: ${path} -> ${answer.status} ${answer.text}`)
      const json = operation.answer ? answer.json : undefined
      recorded[id] ??= {
        ...sent(request),
        ...(operation.answer ? { answer: json } : {}),
      }
      return json
    },
    async expectRefusal(id, request) {
      const operation = operationOf(id)
      const path = examplePath(operation, request)
      const answer = await client.call(operation.method, path, request.body)
      if (!operation.errors.some((status) => status === answer.status))
        throw new Error(
          `${id}: ${path} -> ${answer.status}, which is not a refusal: say in record-all.ts when to call it.`,
        )
      recorded[id] ??= { ...sent(request), refused: { status: answer.status, answer: answer.json } }
    },
    eventually: (id, request) => client.eventually(() => recorder.call(id, request)),
    async poll(id, request, isDone) {
      const path = examplePath(operationOf(id), request)
      const { json } = await client.until(path, (answer) => answer.status === 200 && isDone(answer.json))
      return json
    },
    has: (id) => id in recorded,
    examples: () => Object.fromEntries(operations.flatMap(({ id }) => (recorded[id] ? [[id, recorded[id]]] : []))),
  }
  return recorder
}
