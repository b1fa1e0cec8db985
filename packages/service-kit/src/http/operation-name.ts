import type { ServerResponse } from 'node:http'

const name = Symbol('operation')

/** Says what a request is of, for metrics and traces. */
export function nameOperation(response: ServerResponse & { [name]?: string }, operation: string): void {
  response[name] = operation
}

/** `none` for what is no operation. */
export function operationName(response: ServerResponse & { [name]?: string }): string {
  return response[name] ?? 'none'
}
