import { type RecordType, resolveTemplate } from '@assay/contracts'
import type { AcceptedRun } from '../execution/run.ts'

/** The artifact keys of a run's results, tenant first. */
export interface ResultKeys {
  /** The common prefix of the run's keys. */
  root: string
  good: string
  bad: string
  metadata: string
}

/**
 * The templates of a run's configuration, resolved below the tenant and the policy's prefix. They were checked when the
 * configuration was written: each holds an id of the run, and no two resolve to one folder.
 *
 * `fence`: the claim's fencing token. Each claim after the first has its own folders, so a worker that lost its claim
 * overwrites nothing. The event that ends the run names the keys that count, and only the holder of the claim can append it.
 */
export function resultKeys(tenant: string, run: AcceptedRun, fence: number): ResultKeys {
  const { configuration, policy, requestId, executionId, startedAt } = run
  const root = configuration.prefix === null ? tenant : `${tenant}/${configuration.prefix}`
  const keyOf = (template: string, recordType: RecordType) => {
    const { type: policyType, name: policyName } = policy
    const values = { policyType, policyName, requestId, executionId, startedAt, recordType }
    return `${root}/${resolveTemplate(template, values)}${fence > 1 ? `.attempt-${fence}` : ''}`
  }
  return {
    root,
    good: keyOf(configuration.good.template, 'GOOD'),
    bad: keyOf(configuration.bad.template, 'BAD'),
    metadata: keyOf(configuration.metadata.template, 'SUMMARY'),
  }
}

/** The key of what the run's claim with this fence read before it waited. */
export function readFirstKey(tenant: string, run: AcceptedRun, fence: number): string {
  return `${resultKeys(tenant, run, fence).metadata}.read-first`
}

/** The keys of what earlier workers of the run may have read before it waited. */
export function earlierReads(tenant: string, run: AcceptedRun, fence: number): string[] {
  return Array.from({ length: fence - 1 }, (_, index) => readFirstKey(tenant, run, index + 1))
}

/** The keys, in all categories, that earlier workers of the run may have used. */
export function earlierKeys(tenant: string, run: AcceptedRun, fence: number): string[] {
  const earlier = Array.from({ length: fence - 1 }, (_, index) => resultKeys(tenant, run, index + 1))
  return earlier.flatMap(({ good, bad, metadata }) => [good, bad, metadata])
}
