import { executionOperations } from '@assay/contracts'
import { type Route, route } from '@assay/service-kit'
import { type Caller, commandContext, policyRequest } from '../calls.ts'
import { assertDataQuality, type Policies } from '../copies/find-policy.ts'
import type { PolicyCopy } from '../copies/policies.ts'
import { executionAnswerOf } from '../reading/item-records.ts'
import { ruleExecutionOf } from '../reading/rule-execution.ts'
import type { Start, StartRun } from './start-run.ts'

/** The three ways to start a policy: by id, by name, by webhook. */
export function startingRoutes(deps: { policies: Policies; startRun: StartRun }): Route[] {
  const { policies, startRun } = deps
  return [
    route(executionOperations.startDataQuality, async (call) => {
      const copy = await policies.byId(call.params.id, policyRequest(call))
      assertDataQuality(copy)
      const { state, position } = await startRun(startOf(call, copy, call.body))
      return { body: executionAnswerOf(state), position }
    }),
    route(executionOperations.startDataQualityByName, async (call) => {
      const copy = await policies.byName(call.params.name, policyRequest(call))
      assertDataQuality(copy)
      const { state, position } = await startRun(startOf(call, copy, call.body))
      return { body: executionAnswerOf(state), position }
    }),
    route(executionOperations.startByWebhook, async (call) => {
      const copy = await policies.byId(call.params.id, policyRequest(call))
      const { state, position } = await startRun(startOf(call, copy, {}))
      return { body: { execution: ruleExecutionOf(state) }, position }
    }),
  ]
}

function startOf(call: Caller, copy: PolicyCopy, request: Partial<Start['request']>): Start {
  return {
    tenant: call.identity.tenant,
    copy,
    request: {
      executionType: request.executionType,
      includeInQualityScore: request.includeInQualityScore,
      ruleItemSelections: request.ruleItemSelections,
      markerConfigs: request.markerConfigs,
      sparkResourceConfig: request.sparkResourceConfig,
    },
    executionMode: call.client === 'console' ? 'MANUAL' : 'API',
    context: commandContext(call),
    signal: call.signal,
  }
}
