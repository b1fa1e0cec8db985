import { executionKinds, operations, policyKinds } from '@assay/contracts'
import { createCaller } from './caller.ts'
import { annotate, crawl, createKeys, runPolicies } from './create.ts'
import { cancel, removeAll } from './end.ts'
import type { Recorder } from './recorder.ts'

/** Of the kinds whose runs store no rows, the only one whose recorded run fires, so that it takes feedback. */
const firing = 'data-freshness'

/** Kinds whose runs store no rows. */
const withoutRows: ReadonlySet<string> = new Set([
  'schema-drift',
  'data-drift',
  'profile-anomaly',
  'auto-anomaly',
  'data-freshness',
  'data-cadence',
])

/**
 * Calls every operation at least once: crawls the sources, creates one of each thing, runs everything that can run,
 * changes, reads and deletes. Operations that are not listed here are called in the order of the table. Answers the
 * failures as sentences.
 */
export async function recordAll(
  recorder: Recorder,
  sources: { samples: string; warehouse: string },
): Promise<string[]> {
  const caller = createCaller(recorder, { ...sources, noPipeline: 'default', category: 'bad', version: '1' })
  const { callOnce, call, expectRefusal, facts, failures } = caller
  await crawl(caller)
  await annotate(caller)
  await runPolicies(caller)
  await createKeys(caller)
  const tagId = String((await call('createTag')).id)
  for (const id of ['updateTag', 'mergeTag']) await callOnce(id, { tagId })
  for (const kind of Object.values(policyKinds)) {
    const segment = kind.create.path.split('/').at(-1) ?? ''
    // Only an existing schedule can be switched on.
    await call('setRuleSchedule', { 'data-qualityId': `${facts[`${segment}Id`]}` })
  }
  for (const { detail, result, rows, download, feedback, whatIf } of Object.values(executionKinds)) {
    const segment = detail.path.split('/').at(-3) ?? ''
    // A policy that cannot run has no run to read.
    if (facts[`${segment}ExecutionId`] === undefined)
      for (const { id } of [detail, result, rows, download, feedback, whatIf]) await expectRefusal(id)
    else if (withoutRows.has(segment)) {
      for (const { id } of [rows, download]) await expectRefusal(id)
      if (segment !== firing) await expectRefusal(feedback.id)
    }
  }
  for (const { id, method } of operations)
    if (/PUT|POST/.test(method) && !/^(cancel|unarchive)/.test(id)) await callOnce(id)
  for (const { id, method } of operations) if (method === 'GET') await callOnce(id)
  await cancel(caller)
  await removeAll(caller)
  for (const { id } of operations) {
    if (id === 'unwatchAssetByUid') await call('watchAssetByUid')
    await callOnce(id)
  }
  return failures
}
