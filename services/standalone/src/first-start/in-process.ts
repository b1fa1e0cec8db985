import { type AnswerOf, type Operation, operations, permissions, type ServiceName } from '@assay/contracts'
import { collectWrites, type Identity, type Service } from '@assay/service-kit'

/** The input of a request, before it is parsed. */
interface Input {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
}

/** Maximum number of remembered states per service. */
const maxSeen = 16

/** Calls the routes of this process as the user `system`, with the schemas and handlers of HTTP. */
export interface InProcess {
  call<O extends Operation>(operation: O, input?: Input): Promise<AnswerOf<O>>
}

/** `newId` creates request ids. Each call sends what earlier answers wrote and showed, so it sees their effects. */
export function inProcess(services: readonly Service[], tenant: string, newId: () => string): InProcess {
  const routes = new Map(
    services.flatMap((service) => service.routes.map((route) => [route.operation.id, route] as const)),
  )
  const known = new Set(operations.map((operation) => operation.id))
  const identity: Identity = { tenant, user: 'system', accessKey: '', permissions: new Set(permissions) }
  const seen = new Map<ServiceName, readonly string[]>()
  return {
    async call<O extends Operation>(operation: O, input: Input = {}): Promise<AnswerOf<O>> {
      const route = routes.get(operation.id)
      if (!route || !known.has(operation.id)) throw new Error(`No route serves ${operation.id}.`)
      const call = {
        params: operation.params.parse(input.params ?? {}),
        query: operation.query.parse(input.query ?? {}),
        body: operation.body?.parse(input.body),
        identity,
        requestId: newId(),
        client: 'console' as const,
        seen,
        signal: new AbortController().signal,
      }
      const { result: answer, states } = await collectWrites(() => route.handle(call))
      const before = seen.get(operation.service) ?? []
      seen.set(operation.service, [...before, ...states, ...(answer.states ?? [])].slice(-maxSeen))
      // The answer of a handler has the type of its operation.
      return (answer.text === undefined ? answer.body : JSON.parse(answer.text)) as AnswerOf<O>
    },
  }
}
