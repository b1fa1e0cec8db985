import type { CommandContext, CommandHandler } from '@assay/event-store'
import { policyRunsAggregate } from './policy-runs.aggregate.ts'
import type { PolicyRuns, PolicyRunsCommand } from './policy-runs.ts'

/** The streams of policies and their runs. */
export interface RunStreams {
  load(tenant: string, policyId: number): Promise<PolicyRuns>
  /** Returns the state after the command. Throws the errors of `decide`, and `conflict` after twenty tries. */
  handle(tenant: string, policyId: number, command: PolicyRunsCommand, context: CommandContext): Promise<PolicyRuns>
}

export function createRunStreams(commands: CommandHandler): RunStreams {
  return {
    load: async (tenant, policyId) => (await commands.load(policyRunsAggregate, tenant, policyId)).state,
    handle: async (tenant, policyId, command, context) => {
      const handled = await commands.handle(policyRunsAggregate, { tenant, id: policyId, command, context })
      return handled.state
    },
  }
}
