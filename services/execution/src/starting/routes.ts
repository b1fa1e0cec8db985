import { executionKinds, executionOperations, type PolicyType, policyTypes, type StartAnswer } from '@assay/contracts'
import type { ReadYourWrites } from '@assay/event-store'
import { type Caller, type Clock, commandContext, type Route, route, seenOf } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { assertType, type Policies } from '../copies/find-policy.ts'
import type { PolicyCopy } from '../copies/policies.ts'
import type { Execution } from '../execution/execution.ts'
import { statesOf } from '../publishing/execution-messages.ts'
import { executionResultOf } from '../reading/execution-result.ts'
import { executionAnswerOf } from '../reading/item-records.ts'
import type { ShownExecution, ShownRuns } from '../reading/masked-outcomes.ts'
import { ruleExecutionOf } from '../reading/rule-execution.ts'
import type { EndOfRun } from './run-ends.ts'
import type { Start, StartRun } from './start-run.ts'

type StartCall = Caller & { query: { wait?: number | undefined }; stopping?: AbortSignal }

/** The three ways to start a policy: by id, by name, by webhook. */
export function startingRoutes(deps: {
  policies: Policies
  startRun: StartRun
  readYourWrites: ReadYourWrites
  endOfRun: EndOfRun
  shownRuns: ShownRuns
  clock: Clock
}): Route[] {
  const { policies, readYourWrites, endOfRun, shownRuns, clock } = deps

  /** The run reads the settings, tags and templates that its caller has written. */
  async function startRun(call: StartCall, copy: PolicyCopy, request: Start['request']) {
    await readYourWrites(seenOf(call, 'catalog'))
    return deps.startRun(startOf(call, copy, request))
  }

  /** The answer with the ended run and its result; `undefined` if it does not end within the caller's `wait`. */
  async function endedRun(call: StartCall, { run }: Execution) {
    const { wait = 0 } = call.query
    if (wait === 0) return undefined
    const { tenant, accessKey } = call.identity
    const signals = call.stopping === undefined ? [call.signal] : [call.signal, call.stopping]
    const ended = await endOfRun({ tenant, accessKey }, run.executionId, { seconds: wait, signals })
    return ended && { body: startAnswerOf(await shownRuns.one(call, ended), clock.now()), states: statesOf(ended) }
  }

  const startOfKind = async (call: StartCall, type: PolicyType, copy: PolicyCopy, request: Start['request']) => {
    assertType(copy, type)
    assertMayWait(call)
    const state = await startRun(call, copy, request)
    return (await endedRun(call, state)) ?? { body: executionAnswerOf(state) }
  }

  return [
    ...policyTypes.flatMap((type): Route[] => {
      const { start, startByName } = executionKinds[type]
      return [
        route(start, async (call) => startOfKind(call, type, await policies.byId(call.params.id, call), call.body)),
        route(startByName, async (call) =>
          startOfKind(call, type, await policies.byName(call.params.name, call), call.body),
        ),
      ]
    }),
    route(executionOperations.startByWebhook, async (call) => {
      assertMayWait(call)
      const copy = await policies.byId(call.params.id, call)
      const state = await startRun(call, copy, call.body)
      const ended = await endedRun(call, state)
      if (ended === undefined) return { body: { execution: ruleExecutionOf(state) } }
      const { policyScoreStrategy: _strategy, treatZeroRowsAsSuccess: _zeroRows, ...body } = ended.body
      return { body, states: ended.states }
    }),
  ]
}

/** The result reveals more than the start of the run, so it requires POLICY_VIEW. */
function assertMayWait({ query: { wait = 0 }, identity: { permissions } }: StartCall): void {
  if (wait > 0 && !permissions.has('POLICY_VIEW'))
    throw new AssayError('forbidden', 'wait: the answer has the result of the run, which requires POLICY_VIEW.')
}

/** The answer to a start that waited for the end of the run. Pure. */
function startAnswerOf(state: ShownExecution, now: number): StartAnswer {
  const answer = executionAnswerOf(state)
  const { items: results, ...result } = executionResultOf(state, now)
  const items = answer.items.map((item, index) => {
    const found = results[index]
    if (found === undefined) return item
    const { name, dimension, includeInQualityScore, success } = found
    return { ...item, name, dimension, includeInQualityScore, success }
  })
  return { ...answer, ...result, items }
}

function startOf(call: Caller, copy: PolicyCopy, request: Start['request']): Start {
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
    permissions: call.identity.permissions,
  }
}
