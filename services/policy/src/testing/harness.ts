import { randomUUID } from 'node:crypto'
import {
  type AnswerOf,
  type ExecutedVersionMessage,
  internalTopics,
  type Operation,
  permissions,
  type ServiceName,
  type TableMessage,
} from '@assay/contracts'
import { openStores, silent } from '@assay/hosting/testing'
import type { Answer, Call, Service } from '@assay/service-kit'
import { systemTimers } from '@assay/service-kit/node'
import type { PolicyServiceDeps, Prepare } from '../dependencies.ts'
import { createPolicyService, policyCollections } from '../service.ts'

export { eventually } from '@assay/hosting/testing'

/** A table with the columns id, amount, note, at. */
export function tableFixture(changes: Partial<TableMessage> = {}): TableMessage {
  return {
    revision: 0,
    assetId: 11,
    uid: 'sales.orders.csv',
    name: 'orders.csv',
    assemblyId: 1,
    assemblyName: 'sales',
    sourceTypeId: 1,
    sourceTypeName: 'FILE',
    locator: { kind: 'files' },
    columns: [
      { id: 12, uid: 'sales.orders.csv.id', name: 'id', dataType: 'BIGINT' },
      { id: 13, uid: 'sales.orders.csv.amount', name: 'amount', dataType: 'DECIMAL(18,3)' },
      { id: 14, uid: 'sales.orders.csv.note', name: 'note', dataType: 'VARCHAR' },
      { id: 15, uid: 'sales.orders.csv.at', name: 'at', dataType: 'TIMESTAMP' },
    ],
    isDeleted: false,
    ...changes,
  }
}

export interface CallRequest {
  params?: object
  query?: object
  body?: unknown
  tenant?: string
  /** Positions that the caller has seen, by service. */
  seen?: Partial<Record<ServiceName, string[]>>
}

/** The service over SQLite in a folder of its own, with a clock that a spec moves and an engine that it plays. */
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
      stores.tell(internalTopics.tables, message, { key: String(message.assetId), tenant, at }),
    executed: (message: ExecutedVersionMessage, tenant = 'default') =>
      stores.tell(internalTopics.versions, message, { key: String(message.policyId), tenant }),
    async call<O extends Operation>(operation: O, request: CallRequest = {}): Promise<AnswerOf<O>> {
      // The answer of an operation without a body is `undefined`, and so is its type.
      return (await callService(service, operation, request)).body as AnswerOf<O>
    },
    async close() {
      await service.stop()
      await stores.close()
    },
  }
}
export type Harness = Awaited<ReturnType<typeof openHarness>>

async function callService<O extends Operation>(
  service: Service,
  operation: O,
  request: CallRequest,
): Promise<Answer<O>> {
  const found = service.routes.find((route) => route.operation === operation)
  if (found === undefined) throw new Error(`no route for ${operation.id}`)
  const { params = {}, query = {}, body, tenant = 'default' } = request
  const call = {
    params: operation.params.parse(stringified(params)),
    query: operation.query.parse(stringified(query)),
    body: operation.body?.parse(body),
    identity: { tenant, user: 'ann', accessKey: 'key', permissions: new Set(permissions) },
    requestId: 'request',
    client: 'api',
    traceparent: undefined,
    seen: new Map(Object.entries(request.seen ?? {})),
    signal: new AbortController().signal,
  } as Call<Operation>
  const answer = await found.handle(call)
  if (answer.body !== undefined) operation.answer?.parse(answer.body)
  return answer as Answer<O>
}

/** As paths and queries carry them. */
function stringified(values: object): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]))
}
