import type { ServerResponse } from 'node:http'

const name = Symbol('operation')

/** Names the operation of a request, for metrics and traces. */
export function nameOperation(response: ServerResponse & { [name]?: string }, operation: string): void {
  response[name] = operation
}

/** `none` if the request has no operation. */
export function operationName(response: ServerResponse & { [name]?: string }): string {
  return response[name] ?? 'none'
}
