import type { EventMetadata } from '@assay/event-store'

/** The correlation id of what a crawl writes. Pure. */
export const correlationOfCrawl = (crawlId: number): string => `crawl/${crawlId}`

/** The crawl that wrote an event; `undefined` for other writers. Pure. */
export function crawlOfCorrelation({
  correlationId,
  accessKey,
}: Pick<EventMetadata, 'correlationId' | 'accessKey'>): number | undefined {
  // A request chooses its own correlation id.
  if (accessKey) return undefined
  const [, id] = /^crawl\/(\d+)$/.exec(correlationId ?? '') ?? []
  return id === undefined ? undefined : Number(id)
}
