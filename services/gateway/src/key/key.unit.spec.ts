import { describe, expect, test } from 'vitest'
import { decideKey, type KeyCommand } from './decide.ts'
import { evolveKey, initialKey, type KeyEvent, type KeyState } from './key.ts'

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const created: KeyEvent = {
  type: 'ApiKeyCreated',
  data: {
    tenant: 'default',
    accessKey: 'ak',
    secretHash: 'h0',
    displayName: 'k',
    user: 'ann',
    createdBy: 'ann',
    createdAt: at(0),
    validTill: at(50),
    permissions: ['ASSET_VIEW', 'POLICY_VIEW'],
  },
}
const rotated = (hash: string, second: number, overlapTill: number): KeyEvent => ({
  type: 'ApiKeyRotated',
  data: { secretHash: hash, rotatedAt: at(second), rotatedBy: 'ann', overlapTill: at(overlapTill) },
})
const revoked: KeyEvent = { type: 'ApiKeyRevoked', data: { revokedAt: at(5), revokedBy: 'ann' } }
const given = (...events: KeyEvent[]): KeyState => events.reduce(evolveKey, initialKey)
const revoke: KeyCommand = { type: 'RevokeApiKey', tenant: 'default', at: at(5), by: 'ann' }
const rotate = (more: Partial<Extract<KeyCommand, { type: 'RotateApiKey' }>> = {}): KeyCommand => ({
  type: 'RotateApiKey',
  tenant: 'default',
  at: at(5),
  by: 'ann',
  secretHash: 'h1',
  overlapTill: at(15),
  ...more,
})

describe('given a key, when it is changed, then', () => {
  test('creating an existing key is refused as taken', () => {
    expect(() => decideKey({ type: 'CreateApiKey', key: created.data as never }, given(created))).toThrow(
      expect.objectContaining({ code: 'taken' }),
    )
  })

  test('revoking again causes no event', () => {
    expect(decideKey(revoke, given(created))).toEqual([revoked])
    expect(decideKey(revoke, given(created, revoked))).toEqual([])
  })

  test('a rotation makes an event with its overlap', () => {
    expect(decideKey(rotate(), given(created))).toEqual([rotated('h1', 5, 15)])
  })

  test.each<[string, KeyCommand, KeyState, string]>([
    ['nothing to revoke', revoke, initialKey, 'not-found'],
    ['nothing to rotate', rotate(), initialKey, 'not-found'],
    ["another tenant's key to revoke", { ...revoke, tenant: 'other' }, given(created), 'not-found'],
    ["another tenant's key to rotate", rotate({ tenant: 'other' }), given(created), 'not-found'],
    ['a revoked key to rotate', rotate(), given(created, revoked), 'unprocessable'],
    ['an expired key to rotate', rotate({ at: at(50) }), given(created), 'unprocessable'],
    [
      'a key with more permissions than the caller',
      rotate({ callerPermissions: new Set(['ASSET_VIEW']) }),
      given(created),
      'forbidden',
    ],
    [
      'five older secrets that work',
      rotate(),
      given(created, ...[1, 2, 3, 4, 5].map((n) => rotated(`r${n}`, 1, 40))),
      'unprocessable',
    ],
  ])('%s is refused', (_, command, state, code) => {
    expect(() => decideKey(command, state)).toThrow(expect.objectContaining({ code }))
  })
})

describe('given rotations, when the state is folded, then', () => {
  test('older secrets end no later than the newest overlap, and expired ones are gone', () => {
    expect(given(created, rotated('h1', 1, 30), rotated('h2', 2, 10))).toMatchObject({
      secretHash: 'h2',
      retiring: [
        { secretHash: 'h0', validTill: at(10) },
        { secretHash: 'h1', validTill: at(10) },
      ],
    })
    expect(given(created, rotated('h1', 1, 3), rotated('h2', 4, 10))).toMatchObject({
      retiring: [{ secretHash: 'h1', validTill: at(10) }],
    })
    expect(given(created, rotated('h1', 1, 30), rotated('h2', 2, 2))).toMatchObject({ retiring: [] })
  })

  test('a revocation leaves no older secret', () => {
    expect(given(created, rotated('h1', 1, 30), revoked)).toMatchObject({ status: 'revoked', retiring: [] })
  })
})
