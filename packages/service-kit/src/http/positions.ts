import type { ServiceName } from '@assay/contracts'

export const positionHeader = 'x-assay-position'

const services: readonly ServiceName[] = ['gateway', 'catalog', 'policy', 'execution', 'sampling', 'notification']

/** `policy:000..12,catalog:000..7` as a map; what is malformed is left out, because it is only a wish. */
export function parsePositions(header: string | string[] | undefined): Map<ServiceName, string> {
  const seen = new Map<ServiceName, string>()
  const text = Array.isArray(header) ? header.join(',') : (header ?? '')
  for (const part of text.slice(0, 2000).split(',')) {
    const [name, position] = part.trim().split(':')
    const service = services.find((each) => each === name)
    if (service && position && /^[A-Za-z0-9_-]{1,100}$/.test(position)) seen.set(service, position)
  }
  return seen
}

/** The header's form of positions. */
export function formatPositions(positions: ReadonlyMap<ServiceName, string>): string {
  return [...positions].map(([service, position]) => `${service}:${position}`).join(',')
}
