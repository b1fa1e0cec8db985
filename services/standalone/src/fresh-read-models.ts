import { rebuild } from '@assay/event-store'
import type { Logger } from '@assay/service-kit'
import { rebuiltAggregates, rebuiltCollections } from './read-models.ts'
import { logProgress } from './rebuild-progress.ts'
import type { StandaloneStores } from './stores.ts'

/**
 * Builds read models that are new in this version of Assay, or whose shape has changed, from the log. Runs before the
 * services start, because they could not read them.
 */
export async function freshReadModels(
  { needsRebuild, rebuildTarget, declareBuilt, store }: StandaloneStores,
  logger: Logger,
): Promise<void> {
  const stale = new Set(await needsRebuild())
  const wanted = rebuiltCollections.filter(({ name }) => stale.has(name))
  if (declareBuilt) {
    // Collections that do not derive from the log are complete when empty.
    const folded = new Set(rebuiltCollections.map(({ name }) => name))
    for (const name of [...stale].filter((each) => !folded.has(each))) {
      await declareBuilt([name])
      stale.delete(name)
    }
  }
  if (stale.size === 0) return
  const target = rebuildTarget([...stale])
  // Aggregates put all their documents; the target ignores documents of other collections.
  const onProgress = logProgress(logger, [...stale])
  const { events } = await rebuild({ store, aggregates: rebuiltAggregates, collections: wanted, target, onProgress })
  if (events > 0) logger.info({ events, collections: [...stale] }, 'read models were rebuilt from the log')
}
