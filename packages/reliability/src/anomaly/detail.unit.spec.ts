import { expect, it } from 'vitest'
import { detailIn } from './detail.ts'

const found = () => ({
  ...{ state: 'JUDGED', learned: null, anomalies: [], anomalyCount: 2 },
  ...{ expectedFalseAlarmsPerMonth: 0.1, unknown: 'left out' },
})

it('given findings that are read again, then they are not checked again', () => {
  const [one, other] = [found(), found()]
  const { unknown: _, ...known } = one
  expect(detailIn(one)).toEqual(known)
  expect(detailIn(one)).toBe(detailIn(one))
  expect(detailIn(other)).not.toBe(detailIn(one))
  expect(() => detailIn({ ...one, state: 'OTHER' })).toThrow('state')
})
