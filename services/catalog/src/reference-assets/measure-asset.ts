import { setImmediate } from 'node:timers/promises'
import type { ReferenceVerdict } from '@assay/contracts'
import type { DataEngine, DatasetLocator } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import { type ColumnDistribution, columnDistributions } from '@assay/reliability'
import { AssayError } from '@assay/service-kit/errors'
import { assetTables } from '../asset/collections.ts'
import { currentViewState } from '../asset/current-view-state.ts'
import type { Baseline, KnownJob } from '../asset-reference/asset-reference.ts'
import { baselineVerdict, compareWithReference } from './compare.ts'

/** The facts of an asset with rows. Throws `unprocessable` if it has no rows or is deleted. */
async function factsOf(documents: Documents, tenant: string, assetId: number) {
  const table = (await documents.get(assetTables, tenant, assetId))?.document
  if (table === undefined || table.facts === null)
    throw new AssayError('unprocessable', 'Only a table, a view or a file can be measured: this asset has no rows.')
  if (table.status === 'vanished')
    throw new AssayError('unprocessable', `The asset ${table.uid} is no longer in its source. Crawl its assembly.`)
  return table.facts
}

/** The location of an asset's rows. Throws the errors of `factsOf`. */
export async function rowsOf(documents: Documents, tenant: string, assetId: number): Promise<DatasetLocator> {
  return (await factsOf(documents, tenant, assetId)).locator
}

/**
 * Measures an asset for a job. If a view was redefined since its baseline, it gets a new baseline. Throws the errors of
 * the engine, `unprocessable` if the asset or its reference cannot be read.
 */
export async function measureAsset(
  deps: { documents: Documents; engine: Pick<DataEngine, 'profile'> },
  request: { tenant: string; job: KnownJob; baseline: Baseline | null; signal: AbortSignal },
): Promise<{ result: ReferenceVerdict; baseline: Baseline | null }> {
  const { documents, engine } = deps
  const { tenant, job, baseline, signal } = request
  const { referenceAssetId } = job
  const { maxRowCount: maxRows } = job.limits
  const measured = async (assetId: number): Promise<Baseline> => {
    const facts = await factsOf(documents, tenant, assetId)
    const { view } = await currentViewState(documents, tenant, facts)
    const found = await engine.profile({ dataset: facts.locator, maxRows }, { tenant, signal })
    const columns: ColumnDistribution[] = []
    for (const column of columnDistributions(found)) {
      columns.push(column)
      await setImmediate()
    }
    return { rows: found.rows, columns, ...(view === undefined ? {} : { view }) }
  }
  const current = await currentViewState(documents, tenant, await factsOf(documents, tenant, job.assetId))
  const isBaselineCurrent = baseline?.view === current.view
  const ownBaseline = isBaselineCurrent ? baseline : null
  const reference = referenceAssetId !== null ? await measured(referenceAssetId) : ownBaseline
  const found = await measured(job.assetId)
  if (reference === null) return { result: baselineVerdict(found), baseline: found }
  return { result: compareWithReference(reference, found), baseline: null }
}
