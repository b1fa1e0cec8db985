import type { Copies } from './copies.ts'

/** Local read models for one request. Reads each document and each page once. */
export function memoized(documents: Copies): Copies {
  const known = new Map<string, Promise<unknown>>()
  // The key names the collection, so its entry has the collection's type.
  function once<T>(key: string, read: () => Promise<T>): Promise<T> {
    const found = known.get(key) as Promise<T> | undefined
    if (found !== undefined) return found
    const reading = read()
    known.set(key, reading)
    return reading
  }
  return {
    get: (collection, tenant, id) =>
      once(JSON.stringify([collection.name, tenant, id]), () => documents.get(collection, tenant, id)),
    find: (collection, tenant, query) =>
      once(JSON.stringify([collection.name, tenant, query]), () => documents.find(collection, tenant, query)),
  }
}
