import { systemTimers } from '@assay/service-kit/node'
import { openWorkOf } from '@assay/work'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createFakeEngine, type FakeEngine } from '../testing/fake-engine.ts'
import { type OpenCatalog, openCatalog } from '../testing/harness.ts'
import { validationWork } from '../udf-validation/aggregate.ts'

type Dependencies = NonNullable<NonNullable<Parameters<typeof openCatalog>[0]>['dependencies']>

const warnings = { total: 0, first: [] }
const engine: FakeEngine = {
  ...createFakeEngine(),
  prepare: async () => ({ columns: [], filterError: null, metricErrors: [] }),
  sample: async () => ({ fields: [{ name: 'result', type: 'BOOLEAN', nullable: true }], rows: [], warnings }),
}
const ticks = new Set<() => void>()
const timers = {
  ...systemTimers,
  every: (_: number, tick: () => void) => {
    ticks.add(tick)
    return { stop: () => ticks.delete(tick) }
  },
}

let catalog: OpenCatalog
const replicas: OpenCatalog[] = []
beforeEach(async () => {
  catalog = await openCatalog({ dependencies: { engine, timers } })
})
afterEach(async () => {
  for (const replica of replicas.splice(0)) await replica.stop()
  await catalog.close()
})

/** Starts another replica. Returns a function that requests a validation from it. */
async function requestOf(replica: Dependencies) {
  const template = { name: 'any', description: null, code: 'a > 1', language: 'EXPRESSION', udfType: 'FILTER' }
  const body = { ...template, udfDataType: 'BOOLEAN', variables: null }
  const { id } = (await catalog.call('createUdfTemplate', { body })).body
  const { store, documents } = catalog
  const other = await catalog.again({ dependencies: { engine, timers, store, documents, ...replica } })
  replicas.push(other)
  const asked = { analyticsPipelineId: 1, useTestData: true, testData: '[{"a": 1}]' }
  return () => other.call('validateUdfTemplate', { params: { id: String(id) }, body: asked })
}

it('given a process that dies before the request is in the log, then it has stored no test data', async () => {
  const appending = Promise.withResolvers<void>()
  const commit: Dependencies['commit'] = () => {
    appending.resolve()
    return new Promise(() => {})
  }
  const request = await requestOf({ commit })
  void request()
  await appending.promise
  expect(await catalog.artifacts.list('default/validations')).toEqual([])
})

it('given a worker that claims a validation before its test data is stored, then the worker waits for the data', async () => {
  const stored = Promise.withResolvers<void>()
  const { artifacts } = catalog
  const stage: typeof artifacts.stage = async (tenant) => {
    const made = await artifacts.stage(tenant)
    const commit = async (key: string) => {
      if (key.endsWith('/test-data')) await stored.promise
      return made.commit(key)
    }
    return { ...made, commit }
  }
  const request = await requestOf({ artifacts: { ...artifacts, stage } })
  const answer = request()
  await vi.waitFor(
    async () => {
      for (const tick of ticks) tick()
      const states: string[] = []
      for await (const { state } of openWorkOf(catalog.documents, validationWork)) states.push(state)
      expect(states).toEqual(['running'])
    },
    { timeout: 20_000 },
  )
  stored.resolve()
  const { requestId } = (await answer).body
  const result = async () => (await catalog.call('getUdfValidation', { params: { requestId } })).body
  await vi.waitFor(async () => expect((await result()).jobExecutionStatus).not.toBe('IN_PROGRESS'), { timeout: 20_000 })
  expect(await result()).toMatchObject({ jobExecutionStatus: 'SUCCESSFUL', errorMsg: null })
})
