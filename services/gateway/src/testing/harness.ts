import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gatewayOperations, type Operation, operations, type Permission, permissions } from '@assay/contracts'
import { createSqliteDocuments } from '@assay/documents/sqlite'
import { createSqliteCheckpoints, createSqliteCommit, createSqliteEventStore } from '@assay/event-store/sqlite'
import { answerOf } from '@assay/hosting/testing'
import { createBusInMemory } from '@assay/message-bus/testing'
import {
  type Call,
  createIdentitySigner,
  createLogger,
  createMetrics,
  listen,
  noteWrite,
  type Service,
} from '@assay/service-kit'
import { systemTimers } from '@assay/service-kit/node'
import { openDatabase } from '@assay/sqlite'
import { z } from 'zod'
import {
  createEventTokens,
  createGatewayApp,
  createGatewayService,
  type GatewayDependencies,
  gatewayCollections,
} from '../service.ts'

const refusal = z.object({ errors: z.array(z.looseObject({ message: z.string(), status: z.int() })) })

type Send = { headers?: Record<string, string>; body?: unknown; method?: string }
export type Pair = { accessKey: string; secretKey: string }

/** A call that reached a service. */
export interface Served {
  operation: Operation
  call: Call<Operation>
}

/** Services that answer every operation of the table with 200 or 204 and record the calls. */
function recordingService(
  name: Service['name'],
  served: Served[],
  problems: string[],
  answered: { state: string; written?: string },
): Service {
  return {
    name,
    routes: operations
      .filter((operation) => operation.service === name)
      .map((operation) => ({
        operation,
        async handle(call: Call<Operation>) {
          served.push({ operation, call })
          if (answered.written !== undefined) noteWrite({ position: answered.written })
          return { body: { served: operation.id }, states: [answered.state] }
        },
      })),
    start: async () => {},
    stop: async () => {},
    problems: async () => problems,
  }
}

/**
 * The gateway over SQLite files in a temporary folder and HTTP on a free port; the other services only record calls.
 */
export async function startGateway(
  options: { rateLimit?: number; folder?: string; dependencies?: Partial<GatewayDependencies> } = {},
) {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'assay-gateway-'))
  const clock = { time: Date.parse('2026-03-04T05:06:07.000Z'), now: () => clock.time }
  const database = openDatabase({ path: join(folder, 'gateway.db'), synchronous: 'NORMAL' })
  const store = createSqliteEventStore({ database, clock })
  const documents = createSqliteDocuments({ database, collections: gatewayCollections })
  const lines: string[] = []
  const logger = createLogger({ level: 'debug', destination: { write: (line) => lines.push(line) } })
  const dependencies: GatewayDependencies = {
    store,
    documents,
    checkpoints: createSqliteCheckpoints(database),
    bus: createBusInMemory(),
    version: '0.1.0',
    commit: createSqliteCommit({ database, store, documents }),
    clock,
    timers: systemTimers,
    newId: randomUUID,
    logger,
    metrics: createMetrics(),
    newSecret: () => randomBytes(32),
    eventTokens: createEventTokens({ secret: 'a secret of all gateways', clock }),
    ...options.dependencies,
  }
  const gateway = createGatewayService(dependencies)
  const served: Served[] = []
  const problems: string[] = []
  const health = { isAlive: true }
  const answered: { state: string; written?: string } = { state: 'thing-1@0' }
  const others = (['catalog', 'policy', 'execution', 'sampling', 'notification'] as const).map((name) =>
    recordingService(name, served, problems, answered),
  )
  const signer = createIdentitySigner({ secret: randomBytes(32), clock })
  const app = createGatewayApp({
    gateway,
    services: [gateway, ...others],
    signer,
    rateLimit: options.rateLimit ?? 0,
    failureLimit: 20,
    version: '0.0.0-test',
    logger,
    metrics: createMetrics(),
    newId: randomUUID,
    clock,
    timers: systemTimers,
    isAlive: () => health.isAlive,
  })
  await gateway.start()
  const admin = await gateway.firstStart()
  const http = await listen(app, { host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${http.port}`

  async function send(path: string, { headers = {}, body, method = 'GET' }: Send = {}) {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body: text }) })
    const answer = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text: answer,
      json: (): unknown => JSON.parse(answer),
      /** The body, checked against the operation's schema. */
      body: <O extends Operation>(operation: O) => answerOf(operation, JSON.parse(answer)),
      /** All errors of a refusal. */
      errors: () => refusal.parse(JSON.parse(answer)).errors,
    }
  }

  const headersOf = ({ accessKey, secretKey }: Pair): Record<string, string> => ({ accessKey, secretKey })

  return {
    ...dependencies,
    clock,
    folder,
    gateway,
    admin,
    signer,
    served,
    problems,
    health,
    answered,
    lines,
    url,
    send,
    as: (pair: Pair, path: string, more: Send = {}) =>
      send(path, { ...more, headers: { ...headersOf(pair), ...more.headers } }),
    /** A key of the administrator's tenant. */
    async key(granted: readonly Permission[] = permissions, body: object = {}): Promise<Pair> {
      if (!admin) throw new Error('This is not the first start.')
      const validTill = clock.time + 3_600_000
      const request = { displayName: 'k', validTill, permissions: granted, ...body }
      const made = await send('/admin/api/api-keys', { method: 'POST', headers: headersOf(admin), body: request })
      if (made.status !== 200) throw new Error(made.text)
      return made.body(gatewayOperations.createApiKey)
    },
    async stop() {
      await http.close()
      await gateway.stop()
      await documents.close()
      await store.close()
      await database.close()
      if (!options.folder) rmSync(folder, { recursive: true })
    },
  }
}

export type RunningGateway = Awaited<ReturnType<typeof startGateway>>

/** The pair as a Bearer token. */
export function bearerOf({ accessKey, secretKey }: Pair): { authorization: string } {
  return { authorization: `Bearer ${Buffer.from(`${accessKey}:${secretKey}`).toString('base64')}` }
}
