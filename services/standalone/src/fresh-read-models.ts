import { rebuild } from '@assay/event-store'
import type { Logger } from '@assay/service-kit'
import { rebuiltAggregates, rebuiltCollections } from './read-models.ts'
import type { openStores } from './stores.ts'

/**
 * Makes the read models that are new in this version of Assay, or whose shape has changed, from the log. Nothing of it can
 * be read before that, so it is done before the services start.
 */
export async function freshReadModels(
  { documents, store }: ReturnType<typeof openStores>,
  logger: Logger,
): Promise<void> {
  const stale = new Set(documents.needsRebuild())
  if (stale.size === 0) return
  const target = documents.rebuildTarget([...stale])
  const wanted = rebuiltCollections.filter(({ name }) => stale.has(name))
  // An aggregate puts all its documents; the target takes those of the collections that it was made for.
  const { events } = await rebuild({ store, aggregates: rebuiltAggregates, collections: wanted, target })
  if (events > 0) logger.info({ events, collections: [...stale] }, 'read models were made anew from the log')
}
