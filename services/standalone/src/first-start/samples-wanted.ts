import { catalogOperations, policyKinds } from '@assay/contracts'
import type { CrawlRequest } from './crawl-sources.ts'
import type { InProcess } from './in-process.ts'
import { samplePolicies } from './samples.ts'

const sampleNames: ReadonlySet<string> = new Set(samplePolicies.map(({ rule }) => rule.name))

/** Names of existing policies, including archived ones. */
export async function policyNames(client: InProcess): Promise<string[]> {
  const { rules } = await client.call(policyKinds.DATA_QUALITY.list, { query: { ruleStatus: 'ALL', size: '100' } })
  return rules.map(({ rule }) => rule.name)
}

/**
 * Whether this start crawls the samples: if nothing was ever crawled, or if only the samples were and a stop interrupted
 * the creation of their policies. Users who have deleted the samples, or use them already, do not get them again.
 */
export async function areSamplesWanted(client: InProcess, samples: CrawlRequest): Promise<boolean> {
  const assemblies = await client.call(catalogOperations.listAssemblies, { query: { size: '1' } })
  if (assemblies.meta.count === 0) {
    const assets = await client.call(catalogOperations.listAssets, { query: { size: '0', includeDeleted: 'true' } })
    return assets.meta.count === 0
  }
  const [only] = assemblies.data
  if (assemblies.meta.count > 1 || only?.configuration?.path !== samples.configuration.path) return false
  const names = await policyNames(client)
  return names.length < samplePolicies.length && names.every((name) => sampleNames.has(name))
}
