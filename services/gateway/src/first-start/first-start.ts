import { permissions } from '@assay/contracts'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime, type Logger } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { defaultTenant, systemTenant } from '../dependencies.ts'
import type { KeyCommands } from '../keys/key-commands.ts'
import { accessKeyText, hashOf, keyForm, secretKeyText } from '../keys/key-text.ts'
import { administratorKey } from '../tenant/administrator.ts'
import { tenantAggregate } from '../tenant/tenant.ts'

/** The administrator's pair. `generated`: Assay created it, and it can be shown only now. */
export interface AdministratorPair {
  accessKey: string
  secretKey: string
  generated: boolean
}

interface Pair {
  accessKey: string
  secretKey: string
}

/**
 * Creates the tenant `default` and its administrator's pair, preset or generated. Later starts return `undefined`; they
 * create a preset pair that is missing and immediately replace a preset secret that changed. Throws `invalid` if a
 * preset value does not have the form of a key.
 */
export function createFirstStart(deps: {
  handler: CommandHandler
  commands: KeyCommands
  clock: Clock
  logger: Logger
  newSecret: () => Uint8Array
  presetAdmin?: Pair
}): () => Promise<AdministratorPair | undefined> {
  const { handler, commands, clock, logger, newSecret, presetAdmin } = deps
  const context = { actor: 'system' }

  async function createAdministrator(pair: Pair): Promise<void> {
    await commands.create(administratorKey(defaultTenant, pair, permissions, clock.now()), context)
  }

  async function ensurePreset(pair: Pair): Promise<void> {
    if (!keyForm.test(pair.accessKey) || !keyForm.test(pair.secretKey))
      throw new AssayError(
        'invalid',
        "Both halves of the administrator's pair must be 16 to 128 characters of A-Za-z0-9_-.",
      )
    const known = await commands.load(pair.accessKey)
    if (known.status === 'absent') {
      try {
        return await createAdministrator(pair)
      } catch (error) {
        if (!isAssayError(error, 'taken')) throw error
      }
      // Another replica that started at the same time was first: continue as a later start.
      return ensurePreset(pair)
    }
    if (known.status === 'revoked') {
      // A restart must not undo a revocation.
      logger.warn({}, "The preset administrator's pair was revoked and stays revoked. Preset another access key.")
      return
    }
    const secretHash = hashOf(pair.secretKey)
    if (known.secretHash === secretHash) return
    const at = isoTime(clock.now())
    const rotation = {
      type: 'RotateApiKey',
      tenant: known.tenant,
      at,
      by: 'system',
      secretHash,
      overlapTill: at,
    } as const
    await commands.change(pair.accessKey, rotation, context)
  }

  return async () => {
    const tenant = await handler.load(tenantAggregate, systemTenant, defaultTenant)
    const isFirst = tenant.state.status === 'absent'
    const generated = presetAdmin === undefined
    const pair = presetAdmin ?? { accessKey: accessKeyText(newSecret()), secretKey: secretKeyText(newSecret()) }
    if (!generated) await ensurePreset(pair)
    else if (isFirst) await createAdministrator(pair)
    if (!isFirst) return undefined
    // The tenant comes last: if a start dies before, the next one is a first start again and nobody is locked out.
    const command = { type: 'CreateTenant', name: defaultTenant, at: isoTime(clock.now()) } as const
    await handler.handle(tenantAggregate, { tenant: systemTenant, id: defaultTenant, command, context })
    return { ...pair, generated }
  }
}
