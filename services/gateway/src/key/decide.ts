import { AssayError } from '@assay/service-kit/errors'
import type { KeyAdjustment, KeyEvent, KeyState, KnownKey } from './key.ts'

export type KeyCommand =
  | { type: 'CreateApiKey'; key: Extract<KeyEvent, { type: 'ApiKeyCreated' }>['data'] }
  | { type: 'RevokeApiKey'; tenant: string; at: string; by: string }
  | ({ type: 'AdjustApiKey'; tenant: string; at: string; by: string } & KeyAdjustment)
  | {
      type: 'RotateApiKey'
      tenant: string
      at: string
      by: string
      secretHash: string
      overlapTill: string
      /** What the caller may do: nobody gets the secret of a key that can do more. Absent: everything. */
      callerPermissions?: ReadonlySet<string>
    }

/** Older secrets that may still work beside the present one. */
const maxRetiring = 5

/** The key, when there is one and it is the tenant's; another tenant's key is as unknown as none. */
function knownKey(state: KeyState, tenant: string): KnownKey {
  if (state.status === 'absent' || state.tenant !== tenant)
    throw new AssayError('not-found', 'There is no such access key. List the keys to see which there are.')
  return state
}

function decideRotation(command: Extract<KeyCommand, { type: 'RotateApiKey' }>, state: KeyState): KeyEvent[] {
  const key = knownKey(state, command.tenant)
  const missing = key.permissions.find((permission) => command.callerPermissions?.has(permission) === false)
  if (missing)
    throw new AssayError(
      'forbidden',
      `This key lacks the permission ${missing}, which the key to rotate has. Rotate it with a key that has it.`,
    )
  if (key.status === 'revoked')
    throw new AssayError('unprocessable', 'The key is revoked. Make a new key instead of rotating this one.')
  if (Date.parse(key.validTill) <= Date.parse(command.at))
    throw new AssayError('unprocessable', 'The key has expired. Make a new key instead of rotating this one.')
  const working = key.retiring.filter(({ validTill }) => Date.parse(validTill) > Date.parse(command.at))
  if (working.length >= maxRetiring && command.overlapTill > command.at)
    throw new AssayError(
      'unprocessable',
      `${maxRetiring} older secrets of the key still work. Rotate with overlapSeconds 0, which ends them, or wait.`,
    )
  const { secretHash, overlapTill } = command
  return [{ type: 'ApiKeyRotated', data: { secretHash, rotatedAt: command.at, rotatedBy: command.by, overlapTill } }]
}

/** An adjustment that another one has overtaken changes nothing. */
function decideAdjustment(command: Extract<KeyCommand, { type: 'AdjustApiKey' }>, key: KnownKey): KeyEvent[] {
  const { permissions, suspended, userRevision, at: adjustedAt, by: adjustedBy } = command
  const isSame = key.suspended === suspended && key.permissions.join() === permissions.join()
  if (isSame || key.userRevision > userRevision || key.status === 'revoked') return []
  return [{ type: 'ApiKeyAdjusted', data: { permissions, suspended, userRevision, adjustedAt, adjustedBy } }]
}

/** Errors: `taken`, `not-found` (also for another tenant's key), `forbidden`, `unprocessable`. Revoking twice changes nothing. */
export function decideKey(command: KeyCommand, state: KeyState): KeyEvent[] {
  switch (command.type) {
    case 'CreateApiKey':
      if (state.status !== 'absent') throw new AssayError('taken', 'There is a key with this access key already.')
      return [{ type: 'ApiKeyCreated', data: command.key }]
    case 'RevokeApiKey':
      if (knownKey(state, command.tenant).status === 'revoked') return []
      return [{ type: 'ApiKeyRevoked', data: { revokedAt: command.at, revokedBy: command.by } }]
    case 'AdjustApiKey':
      return decideAdjustment(command, knownKey(state, command.tenant))
    case 'RotateApiKey':
      return decideRotation(command, state)
    default:
      return command satisfies never
  }
}
