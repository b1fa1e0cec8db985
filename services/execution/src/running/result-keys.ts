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
 */
export function resultKeys(tenant: string, run: AcceptedRun): ResultKeys {
  const { configuration, policy, requestId, executionId, startedAt } = run
  const root = configuration.prefix === null ? tenant : `${tenant}/${configuration.prefix}`
  const keyOf = (template: string, recordType: RecordType) => {
    const { type: policyType, name: policyName } = policy.rule
    const values = { policyType, policyName, requestId, executionId, startedAt, recordType }
    return `${root}/${resolveTemplate(template, values)}`
  }
  return {
    root,
    good: keyOf(configuration.good.template, 'GOOD'),
    bad: keyOf(configuration.bad.template, 'BAD'),
    metadata: keyOf(configuration.metadata.template, 'SUMMARY'),
  }
}
