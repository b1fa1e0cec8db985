import { describe, expect, test } from 'vitest'
import type { HttpAnswer } from '../assay-process.ts'
import { ask, type ClientFixtures, faultsFor, filled } from './clients-fixtures.ts'
import { cancelledAnswer, dataQualityRun, otherRun, reconciliationResult, runResult } from './clients-policy-readers.ts'
import type { Client, Reader } from './clients-reader.ts'

/** Bodies that start a run; clients B and C send the same body. */
export const startBodies = {
  A: {
    autoRetryEnabled: false,
    columnVariables: [],
    engineType: 'SPARK',
    rightEngineType: 'SPARK',
    executionType: 'FULL',
    includeInQualityScore: true,
    resourceStrategyType: 'INVENTORY',
    markerConfigs: null,
    ruleItemSelections: null,
    sparkFilterSelectedColumns: null,
    sparkSQLDynamicFilterVariableMapping: null,
  },
  BC: { executionType: 'FULL' },
} as const

/**
 * The statuses on which the polls of the clients continue and end. B and C fail on any other status, A treats SUBMITTED as
 * an error.
 */
const runningStatuses = ['RUNNING']
const endStatuses = ['SUCCESSFUL', 'WARNING', 'ERRORED', 'ABORTED']

const kinds: readonly (readonly [kind: string, run: Reader, result: Reader])[] = [
  ['data-quality', dataQualityRun, runResult],
  ['reconciliation', otherRun, reconciliationResult],
  ['data-cadence', otherRun, runResult],
]

/** Starts a run, once no other run of the policy is open. */
export async function startRun(
  at: ClientFixtures,
  kind: string,
  body: unknown,
  id = `{${kind}Id}`,
): Promise<HttpAnswer> {
  return at.client.eventually(async () => {
    const answer = await ask(at, 'POST', `~/rules/${kind}/${id}/executions`, body)
    if (answer.status !== 200 && answer.status !== 501) throw new Error(`${answer.status} ${answer.text}`)
    return answer
  })
}

/** Runs of the three kinds of policies that clients run, from start to end, with the requests of each client. */
export function clientRuns(at: () => ClientFixtures): void {
  const starts: { by: readonly Client[]; body: unknown }[] = [
    { by: ['A'], body: startBodies.A },
    { by: ['B', 'C'], body: startBodies.BC },
  ]
  const cases = kinds.flatMap(([kind, run, result]) => starts.map((start) => ({ kind, run, result, ...start })))
  describe.each(cases)('a run of $kind by $by', ({ kind, run, result, by, body }) => {
    let id: number | undefined

    test(`POST ~/rules/${kind}/{id}/executions: ${by} read the answer`, async ({ skip }) => {
      const answer = await startRun(at(), kind, body)
      // 501: no engine runs this kind yet.
      skip(answer.status === 501, `no engine for ${kind} yet`)
      expect(faultsFor(by, run, answer)).toEqual([])
      id = answer.json.execution.id
    })

    test(`GET ~/rules/${kind}/executions/{id}/result: ${by} read it while the run is running and after`, async ({
      skip,
    }) => {
      skip(id === undefined, 'nothing was started')
      const faults: string[] = []
      const statuses: string[] = []
      const last = await at().client.until(filled(`~/rules/${kind}/executions/${id}/result`, at()), (answer) => {
        faults.push(...faultsFor(by, result, answer))
        if (answer.status !== 200) return true
        const { executionStatus, resultStatus } = answer.json.execution
        statuses.push(executionStatus, resultStatus, answer.json.result.status)
        return executionStatus !== 'RUNNING'
      })
      expect(faults).toEqual([])
      expect(statuses.filter((status) => ![...runningStatuses, ...endStatuses].includes(status))).toEqual([])
      expect(endStatuses).toContain(last.json.execution.resultStatus)
    })

    test(`GET ~/rules/${kind}/executions/{id}: ${by} read the answer`, async ({ skip }) => {
      skip(id === undefined, 'nothing was started')
      const answer = await ask(at(), 'GET', `~/rules/${kind}/executions/${id}`)
      expect(faultsFor(by, run, answer)).toEqual([])
      if (kind !== 'data-quality') return
      expect(answer.json.execution).toMatchObject({ id, executionStatus: 'SUCCESSFUL' })
      const ended = { executionId: id, status: expect.any(String), result: expect.any(String) }
      expect(answer.json.items).toEqual([expect.objectContaining(ended)])
    })

    test(`PUT ~/rules/execution/{id}/cancel {}: ${by} get an answer, or a message that the run has ended`, async ({
      skip,
    }) => {
      const started = await startRun(at(), kind, body)
      skip(started.status === 501, `no engine for ${kind} yet`)
      const answer = await ask(at(), 'PUT', `~/rules/execution/${started.json.execution.id}/cancel`, {})
      if (answer.status === 200) expect(faultsFor(by, cancelledAnswer, answer)).toEqual([])
      else expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('already finished')])
    })
  })
}
