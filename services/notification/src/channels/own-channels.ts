import type { CommandHandler } from '@assay/event-store'
import type { Caller } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { audienceOf, channelAggregate, everyone } from '../channel/aggregate.ts'
import type { Channel } from '../channel/channel.ts'
import { noSuchChannel } from '../channel/decide.ts'

/** Whose channels a caller sees: their own, and with TENANT_MODIFY the shared ones. */
export const audiences = ({ identity: { user, permissions } }: Pick<Caller, 'identity'>): string[] => [
  user,
  ...(permissions.has('TENANT_MODIFY') ? [everyone] : []),
]

/** Throws `forbidden` if the caller may not have shared channels. */
export function assertMayShare({ identity }: Pick<Caller, 'identity'>): void {
  if (identity.permissions.has('TENANT_MODIFY')) return
  throw new AssayError('forbidden', 'This key lacks the permission TENANT_MODIFY, which shared channels need.')
}

/** A channel of the caller, as it is now. Throws `not-found` for all others. */
export async function ownChannel(
  commands: CommandHandler,
  call: Pick<Caller, 'identity'>,
  id: number,
): Promise<Channel> {
  const { state } = await commands.load(channelAggregate, call.identity.tenant, id)
  if (state.status !== 'present' || !audiences(call).includes(audienceOf(state))) throw noSuchChannel()
  return state
}
