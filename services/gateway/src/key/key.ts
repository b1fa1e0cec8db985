import type { Permission } from '@assay/contracts'

/** Hashes are SHA-256 in hex. No event holds a secret. */
export type KeyEvent =
  | {
      type: 'ApiKeyCreated'
      data: {
        tenant: string
        accessKey: string
        secretHash: string
        displayName: string
        /** The user that this key acts as. */
        user: string
        createdBy: string
        createdAt: string
        validTill: string
        permissions: readonly Permission[]
        /** The service user whose roles the key has. If absent, the key has its own permissions. */
        serviceUserId?: string
      }
    }
  /** Applies a change of the key's service user, at `userRevision` of its stream. */
  | { type: 'ApiKeyAdjusted'; data: KeyAdjustment & { adjustedAt: string; adjustedBy: string } }
  | { type: 'ApiKeyRevoked'; data: { revokedAt: string; revokedBy: string } }
  | { type: 'ApiKeyRotated'; data: { secretHash: string; rotatedAt: string; rotatedBy: string; overlapTill: string } }

/** `suspended`: the key is switched off for now. */
export type KeyAdjustment = { permissions: readonly Permission[]; suspended: boolean; userRevision: number }

/** A replaced secret that still works until `validTill`. */
export type RetiringSecret = { secretHash: string; validTill: string }

export type KnownKey = Extract<KeyEvent, { type: 'ApiKeyCreated' }>['data'] & {
  status: 'active' | 'revoked'
  retiring: readonly RetiringSecret[]
  suspended: boolean
  userRevision: number
}

export type KeyState = { status: 'absent' } | KnownKey

export const initialKey: KeyState = { status: 'absent' }

/**
 * The older secrets after a rotation. None outlives the new overlap, so a rotation without overlap ends all of them at
 * once.
 */
function retire(key: KnownKey, rotatedAt: string, overlapTill: string): RetiringSecret[] {
  const end = (validTill: string) => (Date.parse(validTill) < Date.parse(overlapTill) ? validTill : overlapTill)
  return [...key.retiring, { secretHash: key.secretHash, validTill: overlapTill }]
    .map(({ secretHash, validTill }) => ({ secretHash, validTill: end(validTill) }))
    .filter(({ validTill }) => Date.parse(validTill) > Date.parse(rotatedAt))
}

export function evolveKey(state: KeyState, event: KeyEvent): KeyState {
  switch (event.type) {
    case 'ApiKeyCreated':
      return { status: 'active', ...event.data, retiring: [], suspended: false, userRevision: -1 }
    case 'ApiKeyRevoked':
      return state.status === 'absent' ? state : { ...state, status: 'revoked', retiring: [] }
    case 'ApiKeyRotated': {
      if (state.status === 'absent') return state
      const { secretHash, rotatedAt, overlapTill } = event.data
      return { ...state, secretHash, retiring: retire(state, rotatedAt, overlapTill) }
    }
    case 'ApiKeyAdjusted': {
      const { permissions, suspended, userRevision } = event.data
      return state.status === 'absent' ? state : { ...state, permissions, suspended, userRevision }
    }
    default:
      return event satisfies never
  }
}
