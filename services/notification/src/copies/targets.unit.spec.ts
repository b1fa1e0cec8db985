import { expect, it } from 'vitest'
import { passesOf } from './targets.ts'

const above = { type: 'ABSOLUTE', config: { direction: 'ABOVE' }, success: 90, warning: 80 } as const

it.each([
  ['its score', { verdictBy: 'SCORE', thresholdLevel: above }, { success: 90, warning: 80 }],
  ['its items', { verdictBy: 'ITEMS', thresholdLevel: above }, null],
  ['the past', { verdictBy: 'SCORE', thresholdLevel: { type: 'ANOMALY', success: null, warning: null } }, null],
] as const)('given a policy whose verdict comes from %s, then its limits are known or not', (_, rule, passes) => {
  expect(passesOf(rule)).toEqual(passes)
})
