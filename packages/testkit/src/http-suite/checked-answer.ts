import { errorEnvelope, type Operation, operations } from '@assay/contracts'
import type { HttpAnswer } from '../assay-process.ts'

/** What the gateway itself says, whatever the operation. */
const always = [400, 401, 403, 413, 429]

const pattern = (path: string) => new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '([^/]+)')}$`)
/** Literal segments first: `/rules/executions` is not a policy named `executions`. */
const matchers = operations
  .map((operation) => ({ operation, pattern: pattern(operation.path) }))
  .sort((left, right) => rank(left.operation.path).localeCompare(rank(right.operation.path)))

function rank(path: string): string {
  return path
    .split('/')
    .map((segment) => (segment.startsWith('{') ? '1' : '0'))
    .join('')
}

/** The operation that a request is of; `undefined` for a path or a method that the table has not. */
export function operationOf(method: string, path: string): Operation | undefined {
  const [plain = ''] = path.split('?')
  return matchers.find((each) => each.operation.method === method && each.pattern.test(plain))?.operation
}

/** What is wrong with an answer: its status or its shape is not documented. Empty when all is well. */
export function faultsOf(operation: Operation | undefined, answer: HttpAnswer): string[] {
  const { status, text } = answer
  if (status >= 400) {
    const undocumented =
      operation && !always.includes(status) && !operation.errors.some((known) => known === status)
        ? [`status ${status} is not documented`]
        : []
    return [...undocumented, ...(isEnvelope(text, status) ? [] : ['the body is not the error envelope'])]
  }
  if (!operation || operation.file || operation.events) return []
  if (!operation.answer) return status === 204 && text === '' ? [] : [`${status} instead of 204 without a body`]
  if (status !== (operation.success ?? 200)) return [`status ${status} is not documented`]
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return ['the body is no JSON']
  }
  const { error } = operation.answer.safeParse(body)
  return (error?.issues ?? []).slice(0, 5).map(({ path, message }) => `answer.${path.join('.')}: ${message}`)
}

function isEnvelope(text: string, status: number): boolean {
  try {
    const parsed = errorEnvelope.safeParse(JSON.parse(text))
    return parsed.success && parsed.data.errors.every((error) => error.status === status && error.message !== '')
  } catch {
    return false
  }
}
