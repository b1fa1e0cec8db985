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
      /** The caller's permissions: nobody gets the secret of a key that can do more. Absent means all. */
      callerPermissions?: ReadonlySet<string>
    }

/** Maximum number of older secrets that work alongside the current one. */
const maxRetiring = 5

/** The key, if it exists and belongs to the tenant; a key of another tenant counts as unknown. */
function knownKey(state: KeyState, tenant: string): KnownKey {
  if (state.status === 'absent' || state.tenant !== tenant)
    throw new AssayError('not-found', 'There is no such access key. List the keys to see which exist.')
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
    throw new AssayError('unprocessable', 'The key is revoked. Create a new key instead of rotating this one.')
  if (Date.parse(key.validTill) <= Date.parse(command.at))
    throw new AssayError('unprocessable', 'The key has expired. Create a new key instead of rotating this one.')
  const working = key.retiring.filter(({ validTill }) => Date.parse(validTill) > Date.parse(command.at))
  if (working.length >= maxRetiring && command.overlapTill > command.at)
    throw new AssayError(
      'unprocessable',
      `${maxRetiring} older secrets of the key still work. Rotate with overlapSeconds 0, which ends them, or wait.`,
    )
  const { secretHash, overlapTill } = command
  return [{ type: 'ApiKeyRotated', data: { secretHash, rotatedAt: command.at, rotatedBy: command.by, overlapTill } }]
}

/** An adjustment older than the one applied changes nothing. */
function decideAdjustment(command: Extract<KeyCommand, { type: 'AdjustApiKey' }>, key: KnownKey): KeyEvent[] {
  const { permissions, suspended, userRevision, at: adjustedAt, by: adjustedBy } = command
  const isSame = key.suspended === suspended && key.permissions.join() === permissions.join()
  if (isSame || key.userRevision > userRevision || key.status === 'revoked') return []
  return [{ type: 'ApiKeyAdjusted', data: { permissions, suspended, userRevision, adjustedAt, adjustedBy } }]
}

/**
 * Throws `taken`, `not-found` (also for a key of another tenant), `forbidden`, `unprocessable`. Revoking is
 * idempotent.
 */
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
