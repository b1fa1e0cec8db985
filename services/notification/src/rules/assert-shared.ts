import type { CommandHandler } from '@assay/event-store'
import type { Caller } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { channelAggregate } from '../channel/aggregate.ts'

/** Throws `unprocessable` for a channel that is not a shared one. */
export async function assertShared(
  commands: CommandHandler,
  { identity: { tenant } }: Caller,
  channelIds: Iterable<number>,
): Promise<void> {
  for (const id of channelIds) {
    const { state } = await commands.load(channelAggregate, tenant, id)
    if (state.status === 'present' && state.shared) continue
    const message = `channelIds: ${id} is not the id of a shared channel. Rules send to channels with shared: true only.`
    throw new AssayError('unprocessable', message)
  }
}
