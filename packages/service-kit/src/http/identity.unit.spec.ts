import { expect, test } from 'vitest'
import type { Identity } from './handler.ts'
import { createIdentitySigner } from './identity.ts'

const clock = { now: () => 0 }
const [old, next] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
const identity: Identity = { tenant: 't', user: 'u', accessKey: 'k', permissions: new Set(['ASSET_VIEW']) }

/** The three steps of docs/operations.md. During each, some processes are one step ahead. */
const steps = [
  { secret: old },
  { secret: old, alsoAccepted: next },
  { secret: next, alsoAccepted: old },
  { secret: next },
].map((secrets) => createIdentitySigner({ ...secrets, clock }))

test('given a rotation of the secret in three steps, when processes are a step apart, then each process accepts tokens of the other', () => {
  for (const [at, signer] of steps.entries())
    for (const other of steps.slice(Math.max(0, at - 1), at + 2))
      expect(other.verify(signer.sign(identity))).toEqual(identity)
  expect(steps[3]?.verify(steps[0]?.sign(identity))).toBeUndefined()
})
