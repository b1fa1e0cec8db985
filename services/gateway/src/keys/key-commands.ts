import type { Permission } from '@assay/contracts'
import type { CommandContext, CommandHandler } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import type { KnownKeys } from '../authentication/known-keys.ts'
import { systemTenant } from '../dependencies.ts'
import { keyAggregate } from '../key/aggregate.ts'
import type { KeyCommand } from '../key/decide.ts'
import type { KeyState } from '../key/key.ts'
import { hashOf } from './key-text.ts'

/** Content of a new key. `validTill` in epoch milliseconds. */
export interface NewKey {
  tenant: string
  accessKey: string
  secretKey: string
  displayName: string
  user: string
  validTill: number
  permissions: readonly Permission[]
  /** The service user whose roles the key has. */
  serviceUserId?: string
}

/** Changes of keys. They apply immediately in this process and within five seconds in others. */
export interface KeyCommands {
  /** Throws `taken`. */
  create(key: NewKey, context: CommandContext): Promise<unknown>
  /** Throws the errors of `decideKey`. */
  change(
    accessKey: string,
    command: Exclude<KeyCommand, { type: 'CreateApiKey' }>,
    context: CommandContext,
  ): Promise<{ state: KeyState }>
  load(accessKey: string): Promise<KeyState>
}

export function createKeyCommands(deps: { handler: CommandHandler; knownKeys: KnownKeys; clock: Clock }): KeyCommands {
  const { handler, knownKeys, clock } = deps

  async function handle(accessKey: string, command: KeyCommand, context: CommandContext) {
    const id = hashOf(accessKey)
    try {
      return await handler.handle(keyAggregate, { tenant: systemTenant, id, command, context })
    } finally {
      // Also after a failure, because the outcome may be unknown.
      knownKeys.forget(id)
    }
  }

  return {
    create({ secretKey, validTill, ...key }, context) {
      const facts = {
        ...key,
        secretHash: hashOf(secretKey),
        createdBy: context.actor,
        createdAt: isoTime(clock.now()),
        validTill: isoTime(validTill),
      }
      return handle(key.accessKey, { type: 'CreateApiKey', key: facts }, context)
    },
    change: handle,
    async load(accessKey) {
      return (await handler.load(keyAggregate, systemTenant, hashOf(accessKey))).state
    },
  }
}
