import { parse } from 'node:querystring'

/** The target of a request line. */
export interface Target {
  /** Percent-encoded, as received. */
  path: string
  /** The query string, without the question mark. */
  query: string
}

/** RFC 9112 3.2.2: a client that talks to a proxy sends the absolute URL. */
const origin = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*/

/** The target of a request line, without a fragment, which only the client uses. */
export function targetOf(url: string): Target {
  const local = url.startsWith('/') ? url : url.replace(origin, '') || '/'
  const fragment = local.indexOf('#')
  const text = fragment === -1 ? local : local.slice(0, fragment)
  const mark = text.indexOf('?')
  return mark === -1 ? { path: text, query: '' } : { path: text.slice(0, mark), query: text.slice(mark + 1) }
}

/** The parameters of a query. A repeated parameter is a list. */
export function parametersOf(query: string): Record<string, unknown> {
  return query === '' ? {} : parse(query)
}
