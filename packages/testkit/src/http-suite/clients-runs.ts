import { describe, expect, test } from 'vitest'
import type { HttpAnswer } from '../assay-process.ts'
import { ask, type ClientFixtures, faultsFor, filled } from './clients-fixtures.ts'
import { cancelledAnswer, dataQualityRun, otherRun, reconciliationResult, runResult } from './clients-policy-readers.ts'
import { type Client, clients, type Reader } from './clients-reader.ts'

/** What they send to start a run. */
export const startBodies: Readonly<Record<Client, unknown>> = {
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
  B: { executionType: 'FULL' },
  C: { executionType: 'FULL' },
}

/** What their polls make of a status: these go on, these are known ends; B and C fall over any other, A takes SUBMITTED as an error. */
const goesOn = ['RUNNING']
const knownEnds = ['SUCCESSFUL', 'WARNING', 'ERRORED', 'ABORTED']

const kinds: readonly (readonly [kind: string, run: Reader, result: Reader])[] = [
  ['data-quality', dataQualityRun, runResult],
  ['reconciliation', otherRun, reconciliationResult],
  ['data-cadence', otherRun, runResult],
]

/** Starts a run; while another one of the same policy goes on, waits for its end. */
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

/** Runs of the three kinds that clients run, from the start to the end, as each of them goes about it. */
export function clientRuns(at: () => ClientFixtures): void {
  const cases = kinds.flatMap(([kind, run, result]) => clients.map((client) => ({ kind, run, result, client })))
  describe.each(cases)('a run of $kind by $client', ({ kind, run, result, client }) => {
    let id: number | undefined

    test(`POST ~/rules/${kind}/{id}/executions: ${client} reads the answer`, async ({ skip }) => {
      const answer = await startRun(at(), kind, startBodies[client])
      // No engine for this kind yet: said in a sentence.
      skip(answer.status === 501, `no engine for ${kind} yet`)
      expect(faultsFor(client, run, answer)).toEqual([])
      id = answer.json.execution.id
    })

    test(`GET ~/rules/${kind}/executions/{id}/result: ${client} reads it while the run goes on and after`, async ({
      skip,
    }) => {
      skip(id === undefined, 'nothing was started')
      const faults: string[] = []
      const statuses: string[] = []
      const last = await at().client.until(filled(`~/rules/${kind}/executions/${id}/result`, at()), (answer) => {
        faults.push(...faultsFor(client, result, answer))
        if (answer.status !== 200) return true
        const { executionStatus, resultStatus } = answer.json.execution
        statuses.push(executionStatus, resultStatus, answer.json.result.status)
        return executionStatus !== 'RUNNING'
      })
      expect(faults).toEqual([])
      expect(statuses.filter((status) => ![...goesOn, ...knownEnds].includes(status))).toEqual([])
      expect(knownEnds).toContain(last.json.execution.resultStatus)
    })

    test(`GET ~/rules/${kind}/executions/{id}: ${client} reads the answer`, async ({ skip }) => {
      skip(id === undefined, 'nothing was started')
      const answer = await ask(at(), 'GET', `~/rules/${kind}/executions/${id}`)
      expect(faultsFor(client, run, answer)).toEqual([])
      if (kind !== 'data-quality') return
      expect(answer.json.execution).toMatchObject({ id, executionStatus: 'SUCCESSFUL' })
      const ended = { executionId: id, status: expect.any(String), result: expect.any(String) }
      expect(answer.json.items).toEqual([expect.objectContaining(ended)])
    })

    test(`PUT ~/rules/execution/{id}/cancel {}: ${client} is answered, or told that it is over`, async ({ skip }) => {
      const started = await startRun(at(), kind, startBodies[client])
      skip(started.status === 501, `no engine for ${kind} yet`)
      const answer = await ask(at(), 'PUT', `~/rules/execution/${started.json.execution.id}/cancel`, {})
      if (answer.status === 200) expect(faultsFor(client, cancelledAnswer, answer)).toEqual([])
      else expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('already finished')])
    })
  })
}
