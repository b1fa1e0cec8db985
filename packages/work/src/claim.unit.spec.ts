import { describe, expect, it } from 'vitest'
import { afterClaim, afterRelease, afterRenewal, decideClaim, holds, newWork, type OpenWork } from './claim.ts'

const minute = (n: number) => `2026-01-01T00:0${n}:00.000Z`
function claimed(work: OpenWork, at: number, worker = 'w') {
  const granted = decideClaim(work, { worker, at: minute(at), until: minute(at + 1) })
  if (granted === 'taken' || granted === 'died') throw new Error(granted)
  return afterClaim(work, granted)
}

describe('the claim of work', () => {
  it('given a claim that holds, then nobody else gets the work, and a renewal makes it hold for longer', () => {
    const held = claimed(newWork, 1)
    const other = { worker: 'v', at: minute(1), until: minute(2) }
    expect(decideClaim(held, other)).toBe('taken')
    const renewed = afterRenewal(held, { at: minute(1), until: minute(4) })
    expect(decideClaim(renewed, { ...other, at: minute(3) })).toBe('taken')
    expect(decideClaim(renewed, { ...other, at: minute(4) })).toMatchObject({ fence: 2 })
  })

  it('given a claim that expired, then another worker takes over with a higher fence, and the first one holds nothing', () => {
    const takenOver = claimed(claimed(newWork, 1), 3, 'v')
    expect(takenOver).toMatchObject({ claim: { worker: 'v', fence: 2 }, lost: 1 })
    expect([holds(takenOver, 1), holds(takenOver, 2)]).toEqual([false, true])
  })

  it('given no other process is there, then claims of earlier ones do not hold, and those of this one do', () => {
    const held = claimed(newWork, 1)
    const sole = { at: minute(1), until: minute(2), isSole: true }
    expect(decideClaim(held, { ...sole, worker: 'v' })).toMatchObject({ worker: 'v', fence: 2 })
    expect(decideClaim(held, { ...sole, worker: 'w' })).toBe('taken')
  })

  it('given three workers died with it, then it is to fail; one that gave it back has not died', () => {
    const twice = claimed(claimed(claimed(newWork, 1), 3), 5)
    expect(decideClaim(twice, { worker: 'v', at: minute(7), until: minute(8) })).toBe('died')
    const back = afterRelease(twice)
    expect([holds(back, 3), claimed(back, 7)]).toMatchObject([false, { claim: { fence: 4 }, lost: 2 }])
  })

  it('given work that has ended or is not there, then there is nothing to claim', () => {
    const request = { worker: 'w', at: minute(1), until: minute(2) }
    expect([decideClaim({ status: 'succeeded' }, request), decideClaim(undefined, request)]).toEqual(['taken', 'taken'])
    expect(holds(undefined, 0)).toBe(false)
  })
})
