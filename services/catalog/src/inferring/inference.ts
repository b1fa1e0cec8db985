import { createHash } from 'node:crypto'
import type { DataEngine } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime, type Logger, type Timers, withDeadline } from '@assay/service-kit'
import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'
import { type AssetTableDocument, assetTables } from '../asset/collections.ts'
import { datasetOf } from '../asset/current-view-state.ts'
import { inferredTypes, inferredTypesAggregate } from '../inferred-types/aggregate.ts'
import type { InferredColumn } from '../inferred-types/inferred-types.ts'
import { bucketedDataType } from '../types/bucketed-data-type.ts'
import { inferredType } from './infer-type.ts'

/** Existing clients time out after 15 s. At this deadline, the answer has the types that are known so far. */
const deadlineMilliseconds = 8_000
/** Milliseconds until an unreadable source is read again. */
const retryAfterMilliseconds = 60_000
const sampledRows = 1000

/** Types of the values of a table's columns. */
export interface Inference {
  /** Inspects the values if the table has changed since the last time. `undefined` if they could not be read in time. */
  columnsOf(tenant: string, tableId: number): Promise<readonly InferredColumn[] | undefined>
  stop(): Promise<void>
}

function topColumns(table: AssetTableDocument) {
  return table.columns.filter((column) => !column.isDeleted && column.path.length === 1)
}

function basisOf(table: AssetTableDocument): string {
  const columns = topColumns(table).map(({ id, dataType, nullable }) => [id, dataType, nullable])
  const { fingerprint } = table.facts?.locator ?? {}
  return createHash('sha256')
    .update(JSON.stringify([fingerprint, columns]))
    .digest('hex')
}

export function createInference(deps: {
  handler: CommandHandler
  documents: Documents
  engine: DataEngine
  clock: Clock
  timers: Pick<Timers, 'sleep'>
  logger: Logger
}): Inference {
  const { handler, documents, engine, clock, timers, logger } = deps
  const stopping = new AbortController()
  const running = new Map<string, Promise<readonly InferredColumn[] | undefined>>()
  const failedAt = new Map<string, number>()

  async function sampled(tenant: string, table: AssetTableDocument): Promise<readonly { [column: string]: unknown }[]> {
    const { facts } = table
    const columns = topColumns(table)
    if (facts === null || !columns.some(({ dataType }) => bucketedDataType(dataType) === 'TEXT')) return []
    const dataset = await datasetOf(documents, tenant, facts)
    const late = new AssayError('timeout', 'The source took too long to answer. Try again.')
    const { rows } = await withDeadline(
      timers,
      { milliseconds: deadlineMilliseconds, late, signals: [stopping.signal] },
      (signal) => engine.sample({ dataset, limit: sampledRows }, { tenant, signal }),
    )
    return rows
  }

  async function infer(tenant: string, table: AssetTableDocument, basis: string) {
    const rows = await sampled(tenant, table)
    const columns = topColumns(table).map(({ id: columnId, path, dataType: declared, nullable }): InferredColumn => {
      const name = path[0] ?? ''
      const found = bucketedDataType(declared) === 'TEXT' ? inferredType(rows.map((row) => row[name])) : undefined
      return { columnId, name, dataType: found ?? declared, nullable }
    })
    const { id: tableId, uid } = table
    const command = { type: 'KeepInferredTypes', tableId, uid, at: isoTime(clock.now()), basis, columns } as const
    const context = { actor: 'system' }
    try {
      await handler.handle(inferredTypesAggregate, { tenant, id: tableId, command, context })
    } catch (error) {
      // The result of a very wide table is not stored, so its values are read each time.
      if (!isAssayError(error, 'too-large')) throw error
    }
    return columns
  }

  return {
    async columnsOf(tenant, tableId) {
      const table = (await documents.get(assetTables, tenant, tableId))?.document
      if (table === undefined || table.facts === null || table.status === 'vanished') return undefined
      const basis = basisOf(table)
      const known = await documents.get(inferredTypes, tenant, tableId)
      if (known?.document.basis === basis) return known.document.columns
      const key = JSON.stringify([tenant, tableId, basis])
      if (clock.now() - (failedAt.get(key) ?? -retryAfterMilliseconds) < retryAfterMilliseconds) return undefined
      failedAt.delete(key)
      const work =
        running.get(key) ??
        infer(tenant, table, basis)
          .catch((error: unknown) => {
            if (failedAt.size > 10_000) failedAt.clear()
            failedAt.set(key, clock.now())
            logger.warn({ tenant, tableId, error: messageOf(error) }, 'Types of columns could not be inferred.')
            return undefined
          })
          .finally(() => running.delete(key))
      running.set(key, work)
      return work
    },
    async stop() {
      stopping.abort()
      await Promise.all(running.values())
    },
  }
}
