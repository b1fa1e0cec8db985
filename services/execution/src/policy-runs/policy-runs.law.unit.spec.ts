import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decide, evolve, noRuns, type PolicyRunsCommand } from './policy-runs.ts'

const at = '2026-11-20T10:00:00.000Z'
const command = fc.record({
  type: fc.constantFrom('OpenRun' as const, 'EndRun' as const),
  executionId: fc.integer({ min: 1, max: 4 }),
})

describe('given any commands in any order', () => {
  it('then at most one run of a policy is open', () => {
    fc.assert(
      fc.property(fc.array(command), (commands) => {
        const open = new Set<number>()
        let state = noRuns
        for (const each of commands) {
          const { type, executionId } = each
          const asked: PolicyRunsCommand =
            type === 'OpenRun' ? { type, executionId, at } : { type, executionId, at, ended: null }
          try {
            for (const event of decide(asked, state)) {
              if (event.type === 'RunOpened') open.add(event.data.executionId)
              else if (event.type === 'RunEnded') open.delete(event.data.executionId)
              state = evolve(state, event)
            }
          } catch {
            expect(each.type).toBe('OpenRun')
          }
          expect(open.size).toBeLessThanOrEqual(1)
          expect(state.open?.executionId).toBe([...open][0])
        }
      }),
    )
  })
})
