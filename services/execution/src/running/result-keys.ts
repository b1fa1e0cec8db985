import { type RecordType, resolveTemplate } from '@assay/contracts'
import type { AcceptedRun } from '../execution/run.ts'

/** Where the results of a run go: keys of the artifacts, tenant first. */
export interface ResultKeys {
  /** What all of the run's keys begin with. */
  root: string
  good: string
  bad: string
  metadata: string
}

/**
 * The templates of a run's configuration, resolved below the tenant and the policy's prefix. They were checked when the
 * configuration was written: each holds an id of the run, and no two resolve to one folder.
 *
 * `fence`: of the claim. From the second on, each has folders of its own beside those of the first: a worker that was
 * paused until its run was taken over writes where nobody looks, because the keys that count stand in the event that
 * ends the run, which only the holder of the claim can append.
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

/** What workers that had the run before may have left, of all categories. */
export function earlierKeys(tenant: string, run: AcceptedRun, fence: number): string[] {
  const earlier = Array.from({ length: fence - 1 }, (_, index) => resultKeys(tenant, run, index + 1))
  return earlier.flatMap(({ good, bad, metadata }) => [good, bad, metadata])
}
