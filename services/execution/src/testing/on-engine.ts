import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { executionKinds, type ItemRecord, type TableMessage } from '@assay/contracts'
import type { DataEngine, KeptRowFiles } from '@assay/data-engine'
import { createEngineInProcess } from '@assay/data-engine/testing'
import { policyCopyPut } from '../copies/policies.ts'
import { policyKeeping, tableFixture } from './fixtures.ts'
import { bodyOf, eventually, type Harness, idOf, openHarness } from './harness.ts'

const { start, result } = executionKinds.DATA_QUALITY

/** The service over the real engine, with a folder of source files. */
export interface OnEngine {
  harness: Harness
  engine: DataEngine & KeptRowFiles
  folder: string
  /**
   * The catalog's message about the file or folder at `path`. Ids of columns follow `firstColumnId` or the asset's id.
   */
  tableAt(path: string, changes?: Partial<TableMessage>, firstColumnId?: number): Promise<TableMessage>
  /** The result of a run of a data-quality policy, once it has ended. */
  ended(executionId: number): ReturnType<typeof resultOf>
  /** Runs a policy with these items to its end, and stores its bad rows in `format`. Returns the run's id. */
  runKeeping(format: 'CSV' | 'PARQUET' | 'JSON', policyId: number, items: ItemRecord[]): Promise<number>
  close(): Promise<void>
}

async function resultOf(harness: Harness, executionId: number) {
  return eventually(
    async () => bodyOf(await harness.call(result, { params: { id: executionId } })),
    ({ execution }) => execution.executionStatus !== 'RUNNING',
  )
}

export async function openOnEngine(): Promise<OnEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-execution-'))
  const engine = createEngineInProcess()
  const harness = await openHarness({ engine, isDurable: true })
  return {
    harness,
    engine,
    folder,
    async tableAt(path, changes = {}, firstColumnId) {
      const { assetId, uid } = tableFixture(changes)
      for await (const found of engine.discover(
        { sourceType: 'FILE', path },
        { signal: new AbortController().signal },
      )) {
        if (found.kind !== 'table') continue
        const { locator } = found
        const first = firstColumnId ?? assetId + 1
        const columns = locator.columns.map((column, at) => ({
          id: first + at,
          uid: `${uid}.${column.name}`,
          ...column,
        }))
        return tableFixture({ locator, columns, ...changes })
      }
      throw new Error(`There is no table at ${path}.`)
    },
    ended: (executionId) => resultOf(harness, executionId),
    async runKeeping(format, policyId, items) {
      const message = policyKeeping(format, { id: policyId, name: format }, items)
      await harness.deps.documents.put([policyCopyPut('default', message, '0000000000000000001')])
      const executionId = idOf(await harness.call(start, { params: { id: policyId } }))
      await resultOf(harness, executionId)
      return executionId
    },
    async close() {
      await harness.close()
      await engine.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
