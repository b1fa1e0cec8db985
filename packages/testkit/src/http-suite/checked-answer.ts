import { errorEnvelope, type Operation, operations } from '@assay/contracts'
import type { HttpAnswer } from '../assay-process.ts'

/** Statuses of the gateway itself, for every operation. */
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

/** The operation of a request; `undefined` if its path or method is not in the table. */
export function operationOf(method: string, path: string): Operation | undefined {
  const [plain = ''] = path.split('?')
  return matchers.find((each) => each.operation.method === method && each.pattern.test(plain))?.operation
}

/** The faults of an answer: an undocumented status or shape. Empty if there are none. */
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
    return ['the body is not JSON']
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
