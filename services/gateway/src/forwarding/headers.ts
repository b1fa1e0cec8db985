import type { IncomingHttpHeaders } from 'node:http'

/** RFC 9110 7.6.1: what belongs to one connection. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The pair and whatever else might be a secret of the caller: a service gets the identity token and nothing more. */
const credentials = new Set(['accesskey', 'secretkey', 'authorization', 'cookie'])
/** What the client of this side says by itself, or has settled with the caller already. */
const ofThisSide = new Set(['host', 'expect', 'x-request-id'])
const ofTheBody = new Set(['content-length', 'content-type', 'content-encoding'])
const ofThatSide = new Set(['x-request-id', 'date', 'x-powered-by', 'server'])

type Values = Readonly<Record<string, string | string[] | undefined>>

function namedByConnection(headers: Values): Set<string> {
  const { connection } = headers
  if (connection === undefined) return new Set()
  const text = Array.isArray(connection) ? connection.join(',') : connection
  return new Set(text.split(',').map((name) => name.trim().toLowerCase()))
}

/** What goes on to the service. Names are in lower case. */
export function requestHeaders(
  headers: IncomingHttpHeaders,
  options: { requestId: string; hasBody: boolean },
): Record<string, string | string[]> {
  const named = namedByConnection(headers)
  const kept: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || hopByHop.has(name) || named.has(name)) continue
    if (credentials.has(name) || ofThisSide.has(name)) continue
    if (!options.hasBody && ofTheBody.has(name)) continue
    kept[name] = value
  }
  kept['x-request-id'] = options.requestId
  return kept
}

/** What goes back to the caller. */
export function answerHeaders(headers: Values): [name: string, value: string | string[]][] {
  const named = namedByConnection(headers)
  return Object.entries(headers).flatMap(([name, value]): [string, string | string[]][] =>
    value === undefined || hopByHop.has(name) || named.has(name) || ofThatSide.has(name) ? [] : [[name, value]],
  )
}
