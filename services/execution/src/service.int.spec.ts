import { executionKinds, executionOperations as operations } from '@assay/contracts'
import { AssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { policyFixture, tableFixture } from './testing/fixtures.ts'
import { bodyOf, eventually, type Harness, idOf, openHarness } from './testing/harness.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
  await harness.policy(policyFixture())
})
afterEach(() => harness.close())

const start = (tenant = 'default') => harness.call(executionKinds.DATA_QUALITY.start, { params: { id: 7 }, tenant })
const read = async (id: number) => bodyOf(await harness.call(executionKinds.DATA_QUALITY.detail, { params: { id } }))
const ended = (id: number) =>
  eventually(
    () => read(id),
    ({ execution }) => execution.executionStatus !== 'RUNNING',
  )

describe('starting a run', () => {
  it('returns an open run, which then ends', async () => {
    const started = bodyOf(await start())
    expect(started.execution).toMatchObject({
      executionStatus: 'RUNNING',
      resultStatus: 'RUNNING',
      executionMode: 'API',
      ruleVersion: 3,
      executedBy: 'ann',
    })
    const { execution, items } = await ended(started.execution.id)
    expect(execution).toMatchObject({ executionStatus: 'SUCCESSFUL', resultStatus: 'WARNING', executionError: null })
    expect(items).toMatchObject([
      { ruleItemId: 1, result: '97.0000', status: 'WARNING', rowsScanned: 100, rowsFailed: 3, error: null },
    ])
  })

  it('works by webhook, by name and from the console', async () => {
    const webhook = bodyOf(await harness.call(operations.startByWebhook, { params: { id: 7 } }))
    expect(webhook.execution).toMatchObject({ executionMode: 'API', executionStatus: 'RUNNING' })
    await ended(webhook.execution.id)
    const body = { executionType: 'INCREMENTAL' as const }
    await expect(harness.call(operations.startByWebhook, { params: { id: 7 }, body })).rejects.toMatchObject({
      code: 'unprocessable',
    })
    const request = { params: { name: 'orders are sound' }, client: 'console' as const }
    const byName = bodyOf(await harness.call(executionKinds.DATA_QUALITY.startByName, request))
    expect(byName.execution.executionMode).toBe('MANUAL')
  })

  it('returns the result if the run ends within `wait`, on every start route', async () => {
    const query = { wait: 60 }
    const { start: byId, startByName } = executionKinds.DATA_QUALITY
    const answers = [
      await harness.call(byId, { params: { id: 7 }, query }),
      await harness.call(startByName, { params: { name: 'orders are sound' }, query }),
      await harness.call(operations.startByWebhook, { params: { id: 7 }, query }),
    ]
    for (const { body: answer, states } of answers) {
      const { id, finishedAt } = answer.execution
      const shown = await harness.call(executionKinds.DATA_QUALITY.result, { params: { id } })
      // Another service copies the executed version.
      expect([states, shown.states]).toEqual(Array(2).fill([`executedversion-7@${Date.parse(String(finishedAt))}`]))
      const read = bodyOf(shown)
      expect(answer).toMatchObject({
        ...read,
        items: [{ name: read.items[0]?.name, status: 'WARNING', result: '97.0000' }],
      })
      expect(answer.result).toMatchObject({ status: 'WARNING', executionStatus: 'SUCCESSFUL' })
    }
  })

  it('responds as without `wait` if the run takes longer, the caller disconnects, or the process stops', async () => {
    harness.engine.behave({ kind: 'hang' })
    const started = await harness.call(executionKinds.DATA_QUALITY.start, { params: { id: 7 }, query: { wait: 0 } })
    expect(bodyOf(started)).not.toHaveProperty('result')
    await harness.call(operations.cancelExecution, { params: { id: idOf(started) } })
    const waiting = harness.call(executionKinds.DATA_QUALITY.start, { params: { id: 7 }, query: { wait: 60 } })
    await vi.waitFor(() => expect(harness.engine.measured).toHaveLength(1))
    harness.clock.time += 60_000
    const late = bodyOf(await waiting)
    expect(late).toMatchObject({ execution: { executionStatus: 'RUNNING' }, items: [] })
    expect(late).not.toHaveProperty('result')
    await harness.call(operations.cancelExecution, { params: { id: late.execution.id } })
    const stopping = AbortSignal.abort()
    const stopped = await harness.call(executionKinds.DATA_QUALITY.start, {
      params: { id: 7 },
      query: { wait: 60 },
      stopping,
    })
    expect(bodyOf(stopped).execution.executionStatus).toBe('RUNNING')
  })

  it.each(['61', '-1', '1.5', 'x', ''])('refuses the wait %j', async (wait) => {
    const { query } = executionKinds.DATA_QUALITY.start
    expect(query.safeParse({ wait }).error?.issues[0]?.message).toBe('must be a whole number of seconds, 0 to 60')
  })

  it('requires POLICY_VIEW to wait for a result', async () => {
    const request = { params: { id: 7 }, query: { wait: 5 }, without: ['POLICY_VIEW'] as const }
    await expect(harness.call(executionKinds.DATA_QUALITY.start, request)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(harness.call(operations.startByWebhook, request)).rejects.toMatchObject({ code: 'forbidden' })
    await ended(idOf(await harness.call(operations.startByWebhook, { ...request, query: {} })))
  })

  it('given a hundred concurrent starts, then one is accepted, and the others get 422', async () => {
    harness.engine.behave({ kind: 'hang' })
    const answers = await Promise.allSettled(Array.from({ length: 100 }, () => start()))
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const reasons = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
    expect(reasons.every((reason) => reason instanceof AssayError && reason.code === 'unprocessable')).toBe(true)
    const list = bodyOf(await harness.call(operations.listExecutions))
    expect(list.meta.count).toBe(1)
  })

  it('works again as soon as the last run is shown as ended', async () => {
    for (let round = 0; round < 3; round++) await ended(idOf(await start()))
  })

  it('of a missing policy is 404, also for another tenant', async () => {
    const unknown = harness.call(executionKinds.DATA_QUALITY.start, { params: { id: 8 } })
    await expect(unknown).rejects.toMatchObject({ code: 'not-found' })
    await expect(start('other')).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('a run that fails', () => {
  it('has the error, and the policy can be started again', async () => {
    harness.engine.behave({ kind: 'fail', error: new AssayError('unprocessable', 'orders.csv has vanished.') })
    const { execution } = await ended(idOf(await start()))
    expect(execution).toMatchObject({
      executionStatus: 'FAILED',
      resultStatus: 'ERRORED',
      executionError: 'orders.csv has vanished.',
    })
    harness.engine.behave({ kind: 'end' })
    expect((await ended(idOf(await start()))).execution.executionStatus).toBe('SUCCESSFUL')
  })

  it('does not show details of internal errors', async () => {
    harness.engine.behave({ kind: 'fail', error: new AssayError('internal', 'SELECT * FROM "/secret"') })
    const { execution } = await ended(idOf(await start()))
    expect(execution.executionError).toBe(
      'The run failed because of an error in Assay. Try again; if it fails again, an operator finds the cause in the log.',
    )
  })
})

describe('cancelling', () => {
  it('ends the run and aborts its engine call', async () => {
    harness.engine.behave({ kind: 'hang' })
    const id = idOf(await start())
    await eventually(
      async () => harness.engine.running(),
      (running) => running === 1,
    )
    const answer = bodyOf(await harness.call(operations.cancelExecution, { params: { id } }))
    expect(answer.result).toMatchObject({ status: 'SUCCESS', isParentAvailable: false, parentList: {} })
    expect((await read(id)).execution).toMatchObject({ executionStatus: 'ABORTED', resultStatus: 'ABORTED' })
    await eventually(
      async () => harness.engine.running(),
      (running) => running === 0,
    )
    const again = harness.call(operations.cancelExecution, { params: { id } })
    await expect(again).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('already finished'),
    })
    harness.engine.behave({ kind: 'end' })
    await ended(idOf(await start()))
  })
})
