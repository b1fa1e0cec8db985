import { setImmediate } from 'node:timers/promises'
import type { DataEngine, DatasetLocator } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import { type ColumnDistribution, columnDistributions, type Distributions } from '@assay/reliability'
import { AssayError } from '@assay/service-kit/errors'
import type { RequestedFiles } from '@assay/work'
import { assetTables } from '../asset/collections.ts'
import { currentViewState, datasetOf } from '../asset/current-view-state.ts'
import type { Baseline, KnownJob, ReferenceVerdict } from '../asset-reference/asset-reference.ts'
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
  return datasetOf(documents, tenant, await factsOf(documents, tenant, assetId))
}

/** The distributions of an asset. `view`: the hash of its definition, if it is a view. */
type Measured = Distributions & { view?: string }

/**
 * Measures an asset for a job. If a view was redefined since its baseline, or the baseline was removed, it gets a new
 * baseline, which is returned. Throws the errors of the engine, `unavailable` if the artifacts cannot be read, `unprocessable`
 * if the asset or its reference cannot be read.
 */
export async function measureAsset(
  deps: {
    documents: Documents
    engine: Pick<DataEngine, 'profile'>
    baselines: Pick<RequestedFiles<Distributions>, 'read'>
  },
  request: { tenant: string; job: KnownJob; baseline: Baseline | null; signal: AbortSignal },
): Promise<{ result: ReferenceVerdict; newBaseline: Measured | null }> {
  const { documents, engine, baselines } = deps
  const { tenant, job, baseline, signal } = request
  const { referenceAssetId } = job
  const { maxRowCount: maxRows } = job.limits
  const measured = async (assetId: number): Promise<Measured> => {
    const facts = await factsOf(documents, tenant, assetId)
    // In this order, so that a view that is redefined meanwhile is not read under its earlier key.
    const dataset = await datasetOf(documents, tenant, facts)
    const { view } = await currentViewState(documents, tenant, facts)
    const found = await engine.profile({ dataset, maxRows }, { tenant, signal })
    const columns: ColumnDistribution[] = []
    for (const column of columnDistributions(found)) {
      columns.push(column)
      await setImmediate()
    }
    return { rows: found.rows, columns, ...(view === undefined ? {} : { view }) }
  }
  const current = await currentViewState(documents, tenant, await factsOf(documents, tenant, job.assetId))
  const isBaselineCurrent = baseline !== null && baseline.view === current.view
  const ownBaseline = async () => (isBaselineCurrent ? baselines.read(baseline.artifact) : undefined)
  const reference = referenceAssetId !== null ? await measured(referenceAssetId) : await ownBaseline()
  const found = await measured(job.assetId)
  if (reference === undefined) return { result: baselineVerdict(found), newBaseline: found }
  return { result: compareWithReference(reference, found), newBaseline: null }
}
