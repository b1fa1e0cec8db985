import type { DatabaseSource } from '../dataset.ts'

/** Where a database is, whatever its settings are called. */
export interface DatabasePlace {
  host: string
  port: number
  /** The setting that names the host. */
  field: 'host' | 'url'
  /** The name of the database, of which the catalog has an asset. */
  database: string
}

const ports: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** The host and port of an address. */
export function hostOf(address: string): Pick<DatabasePlace, 'host' | 'port'> {
  const { hostname, port, protocol } = new URL(address)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? (ports[protocol] ?? 443) : Number(port) }
}

/** The place of a database. Pure. */
export function placeOf(source: DatabaseSource): DatabasePlace {
  if (source.sourceType === 'TRINO') return { ...hostOf(source.url), field: 'url', database: source.catalog }
  const { host, port, database } = source
  return { host, port, field: 'host', database }
}
