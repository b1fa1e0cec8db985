import type { ServiceName } from '@assay/contracts'

/** Where a service stood in what it wrote or showed: for requests about copies of it. */
export const positionHeader = 'x-assay-position'
/** Where a service's log has what a request wrote: for the audit, which has a line of it soon after. */
export const writtenHeader = 'x-assay-written'

const services: readonly ServiceName[] = ['gateway', 'catalog', 'policy', 'execution', 'sampling', 'notification']
/** Of one service. More than a client can be waiting for; what is left out are the first ones. */
const maxPositions = 16

/**
 * `policy:000..12,catalog:000..7,catalog:000..9` as the positions of each service; what is malformed is left out, because
 * it is only a wish.
 */
export function parsePositions(header: string | string[] | undefined): Map<ServiceName, readonly string[]> {
  const seen = new Map<ServiceName, readonly string[]>()
  if (header === undefined) return seen
  const text = Array.isArray(header) ? header.join(',') : header
  for (const part of text.slice(0, 8000).split(',')) {
    const [name, position] = part.trim().split(':')
    const service = services.find((each) => each === name)
    if (!service || !position || !/^[A-Za-z0-9_-]{1,100}$/.test(position)) continue
    const known = seen.get(service) ?? []
    if (!known.includes(position)) seen.set(service, [...known, position].slice(-maxPositions))
  }
  return seen
}

/** The header's form of positions. */
export function formatPositions(positions: ReadonlyMap<ServiceName, readonly string[]>): string {
  return [...positions].flatMap(([service, each]) => each.map((position) => `${service}:${position}`)).join(',')
}
