import { executionKinds, executionOperations, type PolicyType, policyTypes } from '@assay/contracts'
import { type Caller, commandContext, type Route, route } from '@assay/service-kit'
import { policyRequest } from '../calls.ts'
import { assertType, type Policies } from '../copies/find-policy.ts'
import type { PolicyCopy } from '../copies/policies.ts'
import { executionAnswerOf } from '../reading/item-records.ts'
import { ruleExecutionOf } from '../reading/rule-execution.ts'
import type { Start, StartRun } from './start-run.ts'

/** The three ways to start a policy: by id, by name, by webhook. A type without an engine: `not-implemented`. */
export function startingRoutes(deps: { policies: Policies; startRun: StartRun }): Route[] {
  const { policies, startRun } = deps
  const startOfKind = async (call: Caller, type: PolicyType, copy: PolicyCopy, request: Start['request']) => {
    assertType(copy, type)
    const { state, position } = await startRun(startOf(call, copy, request))
    return { body: executionAnswerOf(state), position }
  }

  return [
    ...policyTypes.flatMap((type): Route[] => {
      const { start, startByName } = executionKinds[type]
      return [
        route(start, async (call) =>
          startOfKind(call, type, await policies.byId(call.params.id, policyRequest(call)), call.body),
        ),
        route(startByName, async (call) =>
          startOfKind(call, type, await policies.byName(call.params.name, policyRequest(call)), call.body),
        ),
      ]
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
