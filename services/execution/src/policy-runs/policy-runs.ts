import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'

/** Which run of a policy is open, if any. One stream for each policy: of many starts at once one append wins. */
export type PolicyRunsEvent =
  | { type: 'RunOpened'; data: { executionId: number; at: string } }
  | { type: 'RunEnded'; data: { executionId: number; at: string } }

export const policyRuns = z.object({
  open: z.object({ executionId: z.int(), at: z.string() }).nullable(),
})
export type PolicyRuns = z.infer<typeof policyRuns>

export const noRuns: PolicyRuns = { open: null }

export type PolicyRunsCommand =
  | { type: 'OpenRun'; executionId: number; at: string }
  | { type: 'EndRun'; executionId: number; at: string }

/** Opening while another run is open is refused; ending a run that is not the open one changes nothing. */
export function decide(command: PolicyRunsCommand, state: PolicyRuns): PolicyRunsEvent[] {
  const { executionId, at } = command
  switch (command.type) {
    case 'OpenRun':
      if (state.open?.executionId === executionId) return []
      if (state.open) throw previousRunning(state.open.executionId)
      return [{ type: 'RunOpened', data: { executionId, at } }]
    case 'EndRun':
      return state.open?.executionId === executionId ? [{ type: 'RunEnded', data: { executionId, at } }] : []
    default:
      return command satisfies never
  }
}

export function evolve(state: PolicyRuns, event: PolicyRunsEvent): PolicyRuns {
  switch (event.type) {
    case 'RunOpened':
      return { open: event.data }
    case 'RunEnded':
      return state.open?.executionId === event.data.executionId ? noRuns : state
    default:
      return event satisfies never
  }
}

/** The refusal of a start while a run is open. */
export function previousRunning(executionId: number): AssayError {
  return new AssayError(
    'unprocessable',
    `The previous execution (${executionId}) of this policy has not completed; wait for its end or cancel it.`,
  )
}
