import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime, type Logger, type Sealer } from '@assay/service-kit'
import { messageOf } from '@assay/service-kit/errors'
import { channelAggregate, channels } from '../channel/aggregate.ts'
import { withSecrets } from './configuration.ts'

/**
 * Seals the secrets of all channels with the current key, so that the previous one can be removed. Skips channels whose key
 * is missing, and logs them.
 */
export async function sealChannelsAgain(deps: {
  commands: CommandHandler
  documents: Documents
  sealer: Sealer
  clock: Clock
  logger: Logger
}): Promise<void> {
  const { commands, documents, sealer, clock, logger } = deps
  let count = 0
  for await (const { tenant, id } of documents.scan(channels)) {
    try {
      const { state, revision } = await commands.load(channelAggregate, tenant, id)
      if (state.status !== 'present') continue
      let isStale = false
      const again = (sealed: string) => {
        if (sealer.isCurrent(sealed)) return sealed
        isStale = true
        return sealer.seal(sealer.open(sealed, tenant), tenant)
      }
      const configuration = withSecrets(state.type, state.configuration, again)
      const secrets = state.secrets.map(({ sealed, until }) => ({ sealed: again(sealed), until }))
      if (!isStale) continue
      const command = { type: 'SealAgain' as const, configuration, secrets, at: isoTime(clock.now()) }
      const request = { tenant, id, command, context: { actor: 'system' }, expected: revision }
      await commands.handle(channelAggregate, request)
      count += 1
    } catch (error) {
      const about = { tenant, channelId: id, error: messageOf(error) }
      logger.error(about, 'The secrets of a notification channel could not be sealed again.')
    }
  }
  if (count > 0) logger.warn({ count }, 'The secrets of notification channels were sealed with the current key.')
}
