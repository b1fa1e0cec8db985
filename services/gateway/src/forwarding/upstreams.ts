import { operations as allOperations, type Operation, type ServiceName } from '@assay/contracts'
import { createUpstream, type Forward, type UpstreamOptions } from './forward.ts'

/** The services that a gateway forwards to. */
export interface Upstreams {
  forwards: ReadonlyMap<ServiceName, Forward>
  /** The operations that can be served: the gateway's own, and those of every service with an address. */
  operations: readonly Operation[]
  close(): Promise<void>
}

/** Operations of a service without an address answer 404. */
export function createUpstreams(
  urls: Readonly<Partial<Record<ServiceName, string | undefined>>>,
  options: Omit<UpstreamOptions, 'service' | 'url'>,
): Upstreams {
  const names = [...new Set(allOperations.map(({ service }) => service))]
  const made = names.flatMap((service) => {
    const url = urls[service]
    return url === undefined ? [] : [[service, createUpstream({ ...options, service, url })] as const]
  })
  const forwards = new Map(made.map(([service, { forward }]) => [service, forward]))
  return {
    forwards,
    operations: allOperations.filter(({ service }) => service === 'gateway' || forwards.has(service)),
    async close() {
      await Promise.all(made.map(([, upstream]) => upstream.close()))
    },
  }
}
