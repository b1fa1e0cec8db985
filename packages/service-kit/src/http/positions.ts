import type { ServiceName } from '@assay/contracts'

/**
 * What a service wrote or showed: streams with their revisions (`tag-12@3`). Clients send it with requests that need
 * these states.
 */
export const positionHeader = 'x-assay-position'
/** The positions of a request's writes in the log of the service. The audit waits for them. */
export const writtenHeader = 'x-assay-written'

const services: readonly ServiceName[] = ['gateway', 'catalog', 'policy', 'execution', 'sampling', 'notification']
/** Maximum number of states or positions per service. If there are more, only the last ones are read. */
const maxPositions = 32

/** Used for most requests, because they send no positions. */
const none: ReadonlyMap<ServiceName, readonly string[]> = new Map()

/**
 * Parses `policy:policy-7@2,catalog:tag-12@3,catalog:000..7` by service; malformed parts are ignored, because
 * the header is only a hint.
 */
export function parsePositions(header: string | string[] | undefined): ReadonlyMap<ServiceName, readonly string[]> {
  if (header === undefined) return none
  const seen = new Map<ServiceName, readonly string[]>()
  const text = Array.isArray(header) ? header.join(',') : header
  for (const part of text.slice(0, 8000).split(',')) {
    const [name, position] = part.trim().split(':')
    const service = services.find((each) => each === name)
    if (!service || !position || !/^[\w.!~*'()%@-]{1,200}$/.test(position)) continue
    const known = seen.get(service) ?? []
    if (!known.includes(position)) seen.set(service, [...known, position].slice(-maxPositions))
  }
  return seen
}

/** Formats states or positions for the header. */
export function formatPositions(positions: ReadonlyMap<ServiceName, readonly string[]>): string {
  return [...positions].flatMap(([service, each]) => each.map((position) => `${service}:${position}`)).join(',')
}
