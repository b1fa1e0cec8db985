import { describe, expect, it } from 'vitest'
import {
  afterClaim,
  afterRelease,
  afterRenewal,
  decideClaim,
  holds,
  isTakenOver,
  newWork,
  type OpenWork,
} from './claim.ts'

const minute = (n: number) => `2026-01-01T00:0${n}:00.000Z`
function claimed(work: OpenWork, at: number, worker = 'w') {
  const granted = decideClaim(work, { worker, at: minute(at), until: minute(at + 1) })
  if (granted === 'taken' || granted === 'died') throw new Error(granted)
  return afterClaim(work, granted)
}

describe('the claim of work', () => {
  it('given a valid claim, then another worker cannot claim the work, and a renewal extends the claim', () => {
    const held = claimed(newWork, 1)
    const other = { worker: 'v', at: minute(1), until: minute(2) }
    expect(decideClaim(held, other)).toBe('taken')
    const renewed = afterRenewal(held, { at: minute(1), until: minute(4) })
    expect(decideClaim(renewed, { ...other, at: minute(3) })).toBe('taken')
    expect(decideClaim(renewed, { ...other, at: minute(4) })).toMatchObject({ fence: 2 })
  })

  it('given an expired claim, then another worker takes over with a higher fence, and the first no longer holds the work', () => {
    const takenOver = claimed(claimed(newWork, 1), 3, 'v')
    expect(takenOver).toMatchObject({ claim: { worker: 'v', fence: 2 }, lost: 1 })
    expect([holds(takenOver, 1), holds(takenOver, 2)]).toEqual([false, true])
  })

  it('given a worker that has lost its claim, then its work is taken over until it ends', () => {
    const [first, second] = [claimed(newWork, 1), claimed(claimed(newWork, 1), 3, 'v')]
    expect([first, second, afterRelease(second)].map((work) => isTakenOver(work, 1))).toEqual([false, true, true])
    expect([afterRelease(first), { status: 'aborted' }, undefined].map((work) => isTakenOver(work, 1))).toEqual(
      Array(3).fill(false),
    )
  })

  it('given a sole process, then claims of earlier workers are void, and its own are valid', () => {
    const held = claimed(newWork, 1)
    const sole = { at: minute(1), until: minute(2), isSole: true }
    expect(decideClaim(held, { ...sole, worker: 'v' })).toMatchObject({ worker: 'v', fence: 2 })
    expect(decideClaim(held, { ...sole, worker: 'w' })).toBe('taken')
  })

  it('given work that killed three workers, then it must fail, and a release does not count as a death', () => {
    const twice = claimed(claimed(claimed(newWork, 1), 3), 5)
    expect(decideClaim(twice, { worker: 'v', at: minute(7), until: minute(8) })).toBe('died')
    const back = afterRelease(twice)
    expect([holds(back, 3), claimed(back, 7)]).toMatchObject([false, { claim: { fence: 4 }, lost: 2 }])
  })

  it('given work that has ended or does not exist, then it cannot be claimed', () => {
    const request = { worker: 'w', at: minute(1), until: minute(2) }
    expect([decideClaim({ status: 'succeeded' }, request), decideClaim(undefined, request)]).toEqual(['taken', 'taken'])
    expect(holds(undefined, 0)).toBe(false)
  })
})
