import type { Reach } from '../databases/reach.ts'
import { isServerSource, type ServerSource, source } from '../dataset.ts'

/** The configuration of a database by its address: `postgres://user:password@host:port/database`. */
export function sourceAt(sourceType: ServerSource['sourceType'], url: string): ServerSource {
  const { hostname, port, username, password, pathname } = new URL(url)
  const parsed = source.parse({
    sourceType,
    host: hostname,
    port: Number(port),
    database: pathname.slice(1),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  })
  if (isServerSource(parsed)) return parsed
  throw new Error(`${sourceType} is not a database.`)
}

/** Reaches the database at an address, whatever source a table belongs to. */
export function reachUrl(sourceType: ServerSource['sourceType'], url: string): Reach {
  const known = sourceAt(sourceType, url)
  return (_of, _call, work) => work({ source: known, addresses: [known.host], password: known.password })
}
