import { type Documents, documentPut } from '@assay/documents'
import {
  type Checkpoints,
  comparePositions,
  createProcessor,
  type EventStore,
  type MakeProcessor,
  parseStreamName,
  type RecordedEvent,
} from '@assay/event-store'
import { type Clock, type Logger, messageOf, type Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { systemTenant } from '../dependencies.ts'
import { type StoredBytesDocument, storedBytes } from './collection.ts'

/** Maximum age of the sizes that a limit is checked against, in milliseconds. */
const refreshMs = 5_000

/** The bytes that each tenant stores in the log, and whether it may store more. */
export interface StoredBytes {
  start(): Promise<void>
  stop(): Promise<void>
  /** Throws `forbidden` if the tenant has used up its storage. */
  requireRoom(tenant: string): void
}

/** The count after `events` of the same tenant. Events counted before are skipped. Pure. */
export function counted(known: StoredBytesDocument, events: readonly RecordedEvent[]): StoredBytesDocument {
  const fresh = events.filter(({ position }) => known.position === '' || comparePositions(position, known.position) > 0)
  const last = fresh.at(-1)
  if (last === undefined) return known
  const bytes = fresh.reduce((sum, { data }) => sum + Buffer.byteLength(JSON.stringify(data)), known.bytes)
  return { ...known, bytes, events: known.events + fresh.length, position: last.position }
}

/** Counts from the log, in one replica. `maxBytes` 0: no limit. Every replica reads the counts every five seconds. */
export function createStoredBytes(deps: {
  store: EventStore
  documents: Pick<Documents, 'get' | 'put' | 'scan'>
  checkpoints: Checkpoints
  clock: Clock
  timers: Timers
  logger: Logger
  maxBytes: number
  makeProcessor?: MakeProcessor | undefined
}): StoredBytes {
  const { documents, timers, logger, maxBytes, makeProcessor = createProcessor } = deps
  let full: ReadonlyMap<string, number> = new Map()
  let refreshing: { stop(): void } | undefined

  async function handle(events: readonly RecordedEvent[]): Promise<void> {
    const byTenant = Map.groupBy(events, ({ stream }) => parseStreamName(stream)?.tenant ?? systemTenant)
    for (const [tenant, some] of byTenant) {
      const known = (await documents.get(storedBytes, systemTenant, tenant))?.document
      const document = counted(known ?? { tenant, bytes: 0, events: 0, position: '' }, some)
      const source = { revision: document.events, position: document.position }
      await documents.put([documentPut(storedBytes, systemTenant, tenant, document, source)])
    }
  }

  const processor = makeProcessor({
    ...deps,
    name: 'gateway-stored-bytes',
    handle,
    onError(error, { event, parked }) {
      logger.error({ error: messageOf(error), stream: event?.stream, parked }, 'stored bytes were not counted')
    },
  })

  async function refresh(): Promise<void> {
    const now = new Map<string, number>()
    for await (const { document } of documents.scan(storedBytes))
      if (document.bytes >= maxBytes) now.set(document.tenant, document.bytes)
    full = now
  }

  return {
    async start() {
      await processor.start()
      if (maxBytes === 0) return
      const refreshOrWarn = () =>
        refresh().catch((error: unknown) => logger.warn({ error: messageOf(error) }, 'stored bytes cannot be read'))
      refreshing = timers.every(refreshMs, () => void refreshOrWarn())
      await refreshOrWarn()
    },
    async stop() {
      refreshing?.stop()
      await processor.stop()
    },
    requireRoom(tenant) {
      const bytes = full.get(tenant)
      if (bytes === undefined || tenant === systemTenant) return
      throw new AssayError(
        'forbidden',
        `This tenant has stored ${bytes} bytes and may store ${maxBytes}. Ask the operator for more (ASSAY_TENANT_MAX_MB).`,
      )
    },
  }
}
