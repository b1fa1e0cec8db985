import type { ReferenceVerdict } from '@assay/contracts'
import type { DataEngine, DatasetLocator } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import { type Distributions, distributionsOf } from '@assay/reliability'
import { AssayError } from '@assay/service-kit/errors'
import { assetTables } from '../asset/collections.ts'
import type { KnownJob } from '../asset-reference/asset-reference.ts'
import { baselineVerdict, compareWithReference } from './compare.ts'

/** The location of an asset's rows. Throws `unprocessable` if it has none, or is gone. */
export async function rowsOf(documents: Documents, tenant: string, assetId: number): Promise<DatasetLocator> {
  const table = (await documents.get(assetTables, tenant, assetId))?.document
  if (table === undefined || table.facts === null)
    throw new AssayError('unprocessable', 'Only a table, a view or a file can be measured: this asset holds no rows.')
  if (table.status === 'vanished')
    throw new AssayError('unprocessable', `The asset ${table.uid} is no longer in its source. Crawl its assembly.`)
  return table.facts.locator
}

/** Measures an asset for a job. Errors: those of the engine, `unprocessable` if one of both assets cannot be read. */
export async function measureAsset(
  deps: { documents: Documents; engine: Pick<DataEngine, 'profile'> },
  request: { tenant: string; job: KnownJob; baseline: Distributions | null; signal: AbortSignal },
): Promise<{ result: ReferenceVerdict; baseline: Distributions | null }> {
  const { documents, engine } = deps
  const { tenant, job, baseline, signal } = request
  const { referenceAssetId } = job
  const { maxRowCount: maxRows } = job.limits
  const measured = async (assetId: number) => {
    const dataset = await rowsOf(documents, tenant, assetId)
    return distributionsOf(await engine.profile({ dataset, maxRows }, { tenant, signal }))
  }
  const reference = referenceAssetId === null ? baseline : await measured(referenceAssetId)
  if (reference === null) {
    const current = await measured(job.assetId)
    return { result: baselineVerdict(current), baseline: current }
  }
  const current = await measured(job.assetId)
  return { result: compareWithReference(reference, current), baseline: null }
}
