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

/** What the header `connection` names beside the usual. */
function namedByConnection({ connection }: Values): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined
  const text = Array.isArray(connection) ? connection.join(',') : connection
  return new Set(text.split(',').map((name) => name.trim().toLowerCase()))
}

const neverOn = new Set([...hopByHop, ...credentials, ...ofThisSide])
const neverOnWithoutBody = new Set([...neverOn, ...ofTheBody])
const neverBack = new Set([...hopByHop, ...ofThatSide])

/** What goes on to the service. Names are in lower case. */
export function requestHeaders(
  headers: IncomingHttpHeaders,
  options: { requestId: string; hasBody: boolean },
): Record<string, string | string[]> {
  const named = namedByConnection(headers)
  const stays = options.hasBody ? neverOn : neverOnWithoutBody
  const kept: Record<string, string | string[]> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined && !stays.has(name) && named?.has(name) !== true) kept[name] = value
  }
  kept['x-request-id'] = options.requestId
  return kept
}

/** What goes back to the caller. */
export function answerHeaders(headers: Values): [name: string, value: string | string[]][] {
  const named = namedByConnection(headers)
  const kept: [name: string, value: string | string[]][] = []
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined && !neverBack.has(name) && named?.has(name) !== true) kept.push([name, value])
  }
  return kept
}
