import { type Example, examplePath, type Operation, operations } from '@assay/contracts'
import type { HttpAnswer } from '../assay-process.ts'
import type { HttpClient } from '../http-suite/client.ts'

export type Request = Pick<Example, 'params' | 'query' | 'body'>

export interface Recorder {
  /** Calls an operation and keeps its first exchange. Rejects if it fails; answers undefined for a 501. */
  does(id: string, request?: Request): Promise<HttpAnswer['json']>
  /** Calls until it succeeds: another service may not know a new thing yet, or still works on it. */
  eventually(id: string, request?: Request): Promise<HttpAnswer['json']>
  /** Calls an operation that cannot succeed, and keeps its refusal. Rejects if it succeeds. */
  isRefused(id: string, request: Request): Promise<void>
  /** Calls without keeping anything, until `isDone`. */
  awaits(id: string, request: Request, isDone: (json: HttpAnswer['json']) => boolean): Promise<HttpAnswer['json']>
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

/** `listen` answers the beginning of a stream of events, which has no end. */
export function createRecorder(client: HttpClient, listen: (path: string) => Promise<string>): Recorder {
  const kept: Record<string, Example> = {}
  const operationOf = (id: string): Operation => {
    const found = byId.get(id)
    if (!found) throw new Error(`No operation has the id '${id}'.`)
    return found
  }
  const recorder: Recorder = {
    async does(id, request = {}) {
      const operation = operationOf(id)
      const path = examplePath(operation, request)
      if (operation.events) {
        kept[id] ??= { ...sent(request), answer: await listen(path) }
        return undefined
      }
      const answer = await client.call(operation.method, path, request.body)
      if (answer.status === 501) {
        kept[id] ??= { ...sent(request), refused: { status: 501, answer: answer.json } }
        return undefined
      }
      if (answer.status >= 300) throw new Error(`${id}: ${path} -> ${answer.status} ${answer.text}`)
      const json = operation.answer ? answer.json : undefined
      kept[id] ??= {
        ...sent(request),
        ...(operation.answer ? { answer: json } : {}),
      }
      return json
    },
    async isRefused(id, request) {
      const operation = operationOf(id)
      const path = examplePath(operation, request)
      const answer = await client.call(operation.method, path, request.body)
      if (!operation.errors.some((status) => status === answer.status))
        throw new Error(`${id}: ${path} -> ${answer.status}, which is not a refusal: say in story.ts when to call it.`)
      kept[id] ??= { ...sent(request), refused: { status: answer.status, answer: answer.json } }
    },
    eventually: (id, request) => client.eventually(() => recorder.does(id, request)),
    async awaits(id, request, isDone) {
      const path = examplePath(operationOf(id), request)
      const { json } = await client.until(path, (answer) => answer.status === 200 && isDone(answer.json))
      return json
    },
    has: (id) => id in kept,
    examples: () => Object.fromEntries(operations.flatMap(({ id }) => (kept[id] ? [[id, kept[id]]] : []))),
  }
  return recorder
}
