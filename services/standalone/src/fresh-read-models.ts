import { rebuild } from '@assay/event-store'
import type { Logger } from '@assay/service-kit'
import { rebuiltAggregates, rebuiltCollections } from './read-models.ts'
import { tellProgress } from './rebuild-progress.ts'
import type { StandaloneStores } from './stores.ts'

/**
 * Builds read models that are new in this version of Assay, or whose shape has changed, from the log. They cannot be
 * read before, so this runs before the services start.
 */
export async function freshReadModels(
  { needsRebuild, rebuildTarget, declareBuilt, store }: StandaloneStores,
  logger: Logger,
): Promise<void> {
  const stale = new Set(await needsRebuild())
  const wanted = rebuiltCollections.filter(({ name }) => stale.has(name))
  if (declareBuilt) {
    // Collections that no log can fill are correct when empty.
    const folded = new Set(rebuiltCollections.map(({ name }) => name))
    for (const name of [...stale].filter((each) => !folded.has(each))) {
      await declareBuilt([name])
      stale.delete(name)
    }
  }
  if (stale.size === 0) return
  const target = rebuildTarget([...stale])
  // An aggregate puts all its documents; the target takes those of its own collections.
  const onProgress = tellProgress(logger, [...stale])
  const { events } = await rebuild({ store, aggregates: rebuiltAggregates, collections: wanted, target, onProgress })
  if (events > 0) logger.info({ events, collections: [...stale] }, 'read models were rebuilt from the log')
}
