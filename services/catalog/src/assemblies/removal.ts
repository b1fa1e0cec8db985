import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime, type Logger } from '@assay/service-kit'
import { messageOf } from '@assay/service-kit/errors'
import { assemblies, assemblyAggregate } from '../assembly/aggregate.ts'
import { vanishAssets } from '../crawling/vanishing.ts'

/**
 * Marks the assets of deleted assemblies as deleted, in the background; the next start resumes an interrupted removal.
 */
export interface Removal {
  /** Resolves when all assets that were written before this call are marked. One removal per assembly runs at a time. */
  remove(tenant: string, assemblyId: number): Promise<void>
  /** Resumes interrupted removals. */
  resume(): Promise<void>
  stop(): Promise<void>
}

export function createRemoval(deps: {
  handler: CommandHandler
  documents: Documents
  clock: Clock
  logger: Logger
}): Removal {
  const { handler, documents, clock, logger } = deps
  const stopping = new AbortController()
  const running = new Map<string, Promise<void>>()
  const keyOf = (tenant: string, assemblyId: string | number) => `${tenant}/${assemblyId}`

  async function work(tenant: string, assemblyId: number): Promise<void> {
    try {
      const { state } = await handler.load(assemblyAggregate, tenant, assemblyId)
      const by = (state.status === 'absent' ? null : state.deletedBy) ?? 'system'
      const context = { actor: by }
      const reason = 'assembly-deleted'
      let assets = 0
      const onVanished = () => {
        assets += 1
      }
      const options = { tenant, assemblyId, reason, keep: () => false, context, signal: stopping.signal } as const
      await vanishAssets(deps, { ...options, onVanished })
      const command = { type: 'FinishRemoval', at: isoTime(clock.now()), by, assets } as const
      await handler.handle(assemblyAggregate, { tenant, id: assemblyId, command, context })
    } catch (error) {
      if (stopping.signal.aborted) return
      logger.error(
        { tenant, assemblyId, error: messageOf(error) },
        'The assets of a deleted assembly could not be marked as deleted. The next start tries again.',
      )
    }
  }

  function remove(tenant: string, assemblyId: number): Promise<void> {
    const key = keyOf(tenant, assemblyId)
    // A removal in progress may have missed assets that were written since it began.
    const run: Promise<void> = (running.get(key) ?? Promise.resolve())
      .then(() => work(tenant, assemblyId))
      .finally(() => {
        if (running.get(key) === run) running.delete(key)
      })
    running.set(key, run)
    return run
  }

  return {
    remove,
    async resume() {
      const where = [{ field: 'status', is: 'deleting' }]
      for await (const { tenant, id } of documents.scan(assemblies, { where }))
        if (!running.has(keyOf(tenant, id))) void remove(tenant, Number(id))
    },
    async stop() {
      stopping.abort()
      await Promise.all(running.values())
    },
  }
}
