import { randomUUID } from 'node:crypto'
import {
  type AssemblyMessage,
  type ExecutedVersionMessage,
  internalTopics,
  type Operation,
  type TableMessage,
} from '@assay/contracts'
import type { Prepare } from '@assay/hosting/ports'
import { callRoute, openStores, type RouteRequest, silent, tableMessageOf } from '@assay/hosting/testing'
import { createMetrics } from '@assay/service-kit'
import { systemTimers } from '@assay/service-kit/node'
import type { PolicyServiceDeps } from '../dependencies.ts'
import { createPolicyService, policyCollections } from '../service.ts'

export { eventually } from '@assay/hosting/testing'

/** A table with the columns id, amount, note, at. */
export const tableFixture = (changes: Partial<TableMessage> = {}): TableMessage =>
  tableMessageOf(
    [
      { name: 'id', dataType: 'BIGINT' },
      { name: 'amount', dataType: 'DECIMAL(18,3)' },
      { name: 'note', dataType: 'VARCHAR' },
      { name: 'at', dataType: 'TIMESTAMP' },
    ],
    changes,
  )

/** The service over SQLite in a temporary folder, with a manual clock and a fake engine. */
export async function openHarness(options: Pick<PolicyServiceDeps, 'scheduleContract'> = {}) {
  const clock = { time: Date.parse('2026-11-20T10:00:00.000Z'), now: () => clock.time++ }
  const stores = await openStores({ name: 'policy', collections: policyCollections, clock })
  const { store, documents, commit, checkpoints, bus } = stores
  const engine: { prepare: Prepare; asked: Parameters<Prepare>[0][] } = {
    asked: [],
    prepare: async () => ({ columns: [], filterError: null, metricErrors: [] }),
  }
  const deps: PolicyServiceDeps = {
    ...options,
    store,
    commit,
    documents,
    checkpoints,
    bus,
    clock,
    timers: systemTimers,
    newId: randomUUID,
    logger: silent,
    metrics: createMetrics(),
    prepare: (request) => {
      engine.asked.push(request)
      return engine.prepare(request)
    },
  }
  const service = createPolicyService(deps)
  await service.start()

  return {
    service,
    deps,
    bus,
    engine,
    documents,
    table: (message: TableMessage, tenant = 'default', at?: string) =>
      stores.publish(internalTopics.tables, message, { key: String(message.assetId), tenant, at }),
    assembly: (message: AssemblyMessage, tenant = 'default', at?: string) =>
      stores.publish(internalTopics.assemblies, message, { key: String(message.assemblyId), tenant, at }),
    template: ({ udfId, name }: { udfId: number; name: string }) => {
      const shape = { language: 'EXPRESSION', udfType: 'FILTER', udfDataType: 'BOOLEAN', code: 'true', variables: [] }
      const message = { revision: 0, udfId, name, ...shape, isDeleted: false }
      return stores.publish(internalTopics.udfTemplates, message, { key: String(udfId), tenant: 'default' })
    },
    executed: (message: ExecutedVersionMessage, tenant = 'default') =>
      stores.publish(internalTopics.versions, message, { key: String(message.policyId), tenant }),
    call: async <O extends Operation>(operation: O, request?: RouteRequest) =>
      (await callRoute(service, operation, request)).body,
    async close() {
      await service.stop()
      await stores.close()
    },
  }
}
export type Harness = Awaited<ReturnType<typeof openHarness>>
