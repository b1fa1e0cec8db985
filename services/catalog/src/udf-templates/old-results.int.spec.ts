import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemTimers } from '@assay/service-kit/node'
import { expect, it, vi } from 'vitest'
import { startCatalog } from '../testing/harness.ts'
import { udfValidations } from '../udf-validation/aggregate.ts'
import { keptMilliseconds } from './validation-runner.ts'

it('given results older than a day, when the sweep runs, then they are removed, and newer ones are not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-old-results-'))
  const clock = { time: Date.parse('2026-11-20T10:00:00.000Z'), now: () => clock.time }
  const works = new Set<() => void>()
  const timers = {
    ...systemTimers,
    every: (_: number, work: () => void) => {
      works.add(work)
      return { stop: () => works.delete(work) }
    },
  }
  const catalog = await startCatalog(folder, { dependencies: { clock, timers } })
  const template = {
    name: 'any',
    description: null,
    code: 'a > 1',
    language: 'EXPRESSION',
    udfType: 'FILTER',
    udfDataType: 'BOOLEAN',
    variables: null,
  }
  const { id } = (await catalog.call('createUdfTemplate', { body: template })).body
  const kept = async () => (await catalog.artifacts.list('default/validations')).map(({ key }) => key.split('/')[2])
  const result = async (requestId: string) =>
    (await catalog.call('getUdfValidation', { params: { requestId } })).body.jobExecutionStatus
  async function ended(): Promise<string> {
    const body = { analyticsPipelineId: 1, useTestData: true, testData: '[{"a": 1}]' }
    const { requestId } = (await catalog.call('validateUdfTemplate', { params: { id: String(id) }, body })).body
    await vi.waitFor(async () => expect(await result(requestId)).not.toBe('IN_PROGRESS'), { timeout: 20_000 })
    return requestId
  }
  try {
    const old = await ended()
    clock.time += keptMilliseconds + 1
    const recent = await ended()
    expect([...new Set(await kept())]).toEqual([old, recent])
    await vi.waitFor(
      async () => {
        for (const work of works) work()
        await expect(result(old)).rejects.toMatchObject({ code: 'not-found' })
      },
      { timeout: 20_000 },
    )
    expect(await result(recent)).toBe('FAILED')
    expect((await catalog.documents.find(udfValidations, 'default', { size: 0 })).count).toBe(1)
    expect([...new Set(await kept())]).toEqual([recent])
  } finally {
    await catalog.stop()
    await rm(folder, { recursive: true, force: true })
  }
})
