import type { IncomingMessage } from 'node:http'
import { type Target, targetOf } from '@assay/service-kit'

/**
 * Takes the token of the stream of events out of a request, whose target no longer has it, so that no log and no service
 * sees it. `query`: the query without the token. A request with a key pair needs no token.
 */
export function takeToken(request: IncomingMessage): { token: string | undefined; query: string } {
  const { path, query } = targetOf(request.url ?? '/')
  const parameters = new URLSearchParams(query)
  const token = parameters.get('token') ?? undefined
  if (token === undefined) return { token, query }
  parameters.delete('token')
  const rest: Target = { path, query: parameters.toString() }
  request.url = rest.query === '' ? rest.path : `${rest.path}?${rest.query}`
  const { accesskey, secretkey, authorization } = request.headers
  const hasPair = accesskey !== undefined || secretkey !== undefined || /^bearer\b/i.test(authorization ?? '')
  return { token: hasPair ? undefined : token, query: rest.query }
}
