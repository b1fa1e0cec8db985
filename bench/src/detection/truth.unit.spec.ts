import { describe, expect, it } from 'vitest'
import { flatKind, seriesKinds, shiftedKind, weeklyKind } from './generated.ts'
import { peers } from './peers.ts'
import { afterShift, assay, double, drop30, drop50, falseAlarms, found, foundAfterFaults, triple } from './truth.ts'

/** The full figures stand in docs/detection.md. */
const seed = 6
const judge = assay('MEDIUM')

describe('given generated series without a fault', () => {
  it.each(seriesKinds.map((kind) => ({ name: kind.name, kind })))(
    'then $name fires once a thousand days',
    ({ kind }) => {
      const setup = kind.perDay === 1 ? { series: 12, days: 110 } : { series: 1, days: 24 }
      expect(falseAlarms({ kind, seed, ...setup }, judge)).toBeLessThanOrEqual(0.001)
    },
  )
})

describe('given a short series', () => {
  it.each(['weekly', 'weekly with holidays'])('then %s fires once a thousand days in the first month', (name) => {
    const kinds = seriesKinds.filter((kind) => kind.name === name)
    const [rate] = kinds.map((kind) => falseAlarms({ kind, seed, series: 300, days: 30 }, judge))
    expect(rate).toBeLessThanOrEqual(0.001)
  })
  it('then two faults among ten values do not hide the next one', () => {
    const setup = { kind: flatKind, seed, series: 100, days: 11 }
    expect(foundAfterFaults(setup, judge, triple)).toBeGreaterThan(0.95)
    expect(foundAfterFaults(setup, judge, (value) => value)).toBe(0)
  })
})

describe('given weekly series with a fault', () => {
  const setup = { kind: weeklyKind, seed, series: 30, days: 120 }
  it('then drops by 30 % and 50 % and doublings are found at the next value', () => {
    expect(found(setup, judge, drop30)).toBeGreaterThan(0.95)
    expect(found(setup, judge, drop50)).toBeGreaterThan(0.99)
    expect(found(setup, judge, double)).toBe(1)
  })
  it('then a formula that compares a value with a window that it is part of finds none of them', () => {
    const elementary = peers['Elementary, defaults'] ?? judge
    expect(found(setup, elementary, drop50)).toBe(0)
  })
})

it('given a lasting shift, then it is found immediately and proposed as a new normal at its fifth value', () => {
  expect(afterShift({ kind: shiftedKind, seed, series: 12, days: 80 }, 'MEDIUM')).toMatchObject({ atOnce: 1, day: 5 })
})
