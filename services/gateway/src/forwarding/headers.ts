import type { IncomingHttpHeaders } from 'node:http'

/** RFC 9110 7.6.1: headers of one connection. */
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

/** The key pair and other credentials of the caller: a service gets only the identity token. */
const credentials = new Set(['accesskey', 'secretkey', 'authorization', 'cookie'])
/** Headers that the gateway's client sets itself, or that the gateway has already handled. */
const setByGateway = new Set(['host', 'expect', 'x-request-id'])
const bodyHeaders = new Set(['content-length', 'content-type', 'content-encoding'])
const setByService = new Set(['x-request-id', 'date', 'x-powered-by', 'server'])

type Values = Readonly<Record<string, string | string[] | undefined>>

/** Headers that `connection` names as hop-by-hop. */
function namedByConnection({ connection }: Values): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined
  const text = Array.isArray(connection) ? connection.join(',') : connection
  return new Set(text.split(',').map((name) => name.trim().toLowerCase()))
}

const notForwarded = new Set([...hopByHop, ...credentials, ...setByGateway])
const notForwardedWithoutBody = new Set([...notForwarded, ...bodyHeaders])
const notReturned = new Set([...hopByHop, ...setByService])

/** Headers for the service, in lower case. */
export function requestHeaders(
  headers: IncomingHttpHeaders,
  options: { requestId: string; hasBody: boolean },
): Record<string, string | string[]> {
  const named = namedByConnection(headers)
  const dropped = options.hasBody ? notForwarded : notForwardedWithoutBody
  const kept: Record<string, string | string[]> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined && !dropped.has(name) && named?.has(name) !== true) kept[name] = value
  }
  kept['x-request-id'] = options.requestId
  return kept
}

/** Headers for the caller. */
export function answerHeaders(headers: Values): [name: string, value: string | string[]][] {
  const named = namedByConnection(headers)
  const kept: [name: string, value: string | string[]][] = []
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined && !notReturned.has(name) && named?.has(name) !== true) kept.push([name, value])
  }
  return kept
}
