import { createIdentitySigner, type Identity } from '@assay/service-kit'
import { expect, test } from 'vitest'
import { withTokenCache } from './token-cache.ts'

let now = 1_000_000
const clock = { now: () => now }
const signer = createIdentitySigner({ secret: Buffer.alloc(32, 7), clock })
const identity: Identity = { tenant: 't', user: 'u', accessKey: 'k', permissions: new Set(['ASSET_VIEW']) }

test('given a key, when it asks again soon, then it gets the same valid token, and a new one after ten seconds', () => {
  const keeping = withTokenCache(signer, clock)
  const first = keeping.sign({ ...identity })
  now += 9_999
  expect(keeping.sign({ ...identity })).toBe(first)
  now += 1
  const second = keeping.sign({ ...identity })
  expect(second).not.toBe(first)
  now += 59_000
  expect(signer.verify(second)).toEqual(identity)
})

test('given other keys with the same permission set, or a new set, when they ask, then each token names its own caller', () => {
  const keeping = withTokenCache(signer, clock)
  const all: Identity[] = [
    identity,
    { ...identity, tenant: 't2' },
    { ...identity, user: 'u2' },
    { ...identity, accessKey: 'k2' },
    { ...identity, permissions: new Set() },
    identity,
  ]
  expect(all.map((each) => signer.verify(keeping.sign(each)))).toEqual(all)
})
