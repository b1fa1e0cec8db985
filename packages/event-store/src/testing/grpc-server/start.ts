import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyDatabase } from '@assay/sqlite'
import type { Admission } from './admission.ts'
import { type Faults, noFaults } from './faults.ts'
import { eventsFile, type Running, run } from './server.ts'
import { openTcpProxy } from './tcp-proxy.ts'

/** Enough for the largest batch of the port with its metadata. The default of real servers is 1 MiB. */
const defaultMaxAppendBytes = 8 * 1024 * 1024

export interface GrpcServer {
  /** For a server without TLS and users. */
  connectionString: string
  /** On 127.0.0.1. */
  port: number
  faults: Faults
  /** Names of the received calls, in order. */
  calls: readonly string[]
  /** The authorization of each call, including refused ones, if `admission` is given. */
  authorizations: readonly (string | undefined)[]
  /** Cuts all connections, including subscriptions. */
  cut(): void
  /** Pauses all traffic in both directions until `release`; connections stay open. */
  hold(): void
  release(): void
  /** Stops like a killed process. Keeps the events. */
  kill(): Promise<void>
  /** Starts again at the same port with the same events. */
  restart(): Promise<void>
  /** Copies a snapshot of the events to the file `path`, which must not exist; a new server can start from it. */
  backup(path: string): Promise<void>
  /** Stops and removes the events. */
  stop(): Promise<void>
}

/**
 * A test server with the part of EventStoreDB's protocol that the adapter uses, over gRPC, on loopback, with the events
 * in a SQLite file. It proves the adapter, not the server. `from`: starts with the events of a backup. By default it
 * requires neither credentials nor TLS. `host`, `port`: another address than a free port of loopback.
 */
export async function startGrpcServer(
  options: { maxAppendBytes?: number; from?: string; admission?: Admission; host?: string; port?: number } = {},
): Promise<GrpcServer> {
  const { maxAppendBytes = defaultMaxAppendBytes, from, admission } = options
  const folder = mkdtempSync(join(tmpdir(), 'assay-grpc-events-'))
  if (from !== undefined) copyFileSync(from, join(folder, eventsFile))
  const faults = noFaults()
  const calls: string[] = []
  const authorizations: (string | undefined)[] = []
  let running: Running | undefined
  const proxy = await openTcpProxy(() => running?.port ?? 0, options)
  const begin = (): Promise<Running> =>
    run({ folder, maxAppendBytes, faults, admission, calls, authorizations, cut: proxy.cut })
  running = await begin()

  async function kill(): Promise<void> {
    await proxy.shut()
    await running?.close()
    running = undefined
  }

  return {
    connectionString: `esdb://127.0.0.1:${proxy.port}?tls=false`,
    port: proxy.port,
    faults,
    calls,
    authorizations,
    cut: proxy.cut,
    hold: proxy.hold,
    release: proxy.release,
    kill,
    backup: (path) => copyDatabase(join(folder, eventsFile), path),
    async restart() {
      await kill()
      running = await begin()
      await proxy.open()
    },
    async stop() {
      await kill()
      rmSync(folder, { recursive: true })
    },
  }
}
