import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime, type Logger, type Sealer } from '@assay/service-kit'
import { messageOf } from '@assay/service-kit/errors'
import { assemblies, assemblyAggregate } from '../assembly/aggregate.ts'
import { secretKeys } from '../assembly/secrets.ts'

/**
 * Seals the secrets of all assemblies with the current key, so that the previous one can be removed. Skips assemblies whose
 * key is missing, and logs them. Returns how many it sealed again.
 */
export async function sealAgain(deps: {
  handler: CommandHandler
  documents: Documents
  sealer: Sealer
  clock: Clock
  logger: Logger
}): Promise<number> {
  const { handler, documents, sealer, clock, logger } = deps
  let sealed = 0
  for await (const { tenant, id, document } of documents.scan(assemblies, {
    where: [{ field: 'status', is: 'active' }],
  })) {
    if (document.database === null) continue
    const assemblyId = Number(id)
    try {
      const { state } = await handler.load(assemblyAggregate, tenant, assemblyId)
      if (state.status !== 'active') continue
      const { source } = state.definition
      const secrets = Object.entries(source).flatMap(([key, before]) =>
        secretKeys[source.sourceType].includes(key) && typeof before === 'string' && !sealer.isCurrent(before)
          ? [{ key, before, after: sealer.seal(sealer.open(before, tenant), tenant) }]
          : [],
      )
      if (secrets.length === 0) continue
      const command = { type: 'SealAgain', at: isoTime(clock.now()), by: 'system', secrets } as const
      await handler.handle(assemblyAggregate, { tenant, id: assemblyId, command, context: { actor: 'system' } })
      sealed += 1
    } catch (error) {
      logger.error(
        { tenant, assemblyId, error: messageOf(error) },
        'The password of a source could not be sealed again.',
      )
    }
  }
  if (sealed > 0) logger.warn({ sealed }, 'The passwords of sources were sealed with the current key.')
  return sealed
}
