import { executionKinds, operations, type PolicyType, policyTypes, segmentOf } from '@assay/contracts'
import { createCaller } from './caller.ts'
import { annotate, crawl, createKeys, runPolicies } from './create.ts'
import { cancel, removeAll } from './end.ts'
import type { Recorder } from './recorder.ts'

/**
 * The kind of policy that takes feedback: of the kinds whose runs store no rows, only the recorded run of this one
 * fires.
 */
const firing: PolicyType = 'DATA_FRESHNESS'

/**
 * Calls every operation at least once: crawls the sources, creates one of each thing, runs everything that can run,
 * changes, reads and deletes. Operations that are not listed here are called in the order of the table. `storesRows`:
 * whether runs of a type of policy store rows. Returns the failures as sentences.
 */
export async function recordAll(
  recorder: Recorder,
  sources: { samples: string; warehouse: string },
  storesRows: (type: PolicyType) => boolean,
): Promise<string[]> {
  const caller = createCaller(recorder, { ...sources, noPipeline: 'default', category: 'bad', version: '1' })
  const { callOnce, call, expectRefusal, facts, failures } = caller
  await crawl(caller)
  await annotate(caller)
  await runPolicies(caller)
  await createKeys(caller)
  const tagId = String((await call('createTag')).id)
  for (const id of ['updateTag', 'mergeTag']) await callOnce(id, { tagId })
  // Only an existing schedule can be switched on.
  for (const type of policyTypes)
    await call('setRuleSchedule', { 'data-qualityId': `${facts[`${segmentOf(type)}Id`]}` })
  for (const type of policyTypes) {
    const { detail, result, rows, download, feedback, whatIf } = executionKinds[type]
    // A policy that cannot run has no run to read.
    if (facts[`${segmentOf(type)}ExecutionId`] === undefined)
      for (const { id } of [detail, result, rows, download, feedback, whatIf]) await expectRefusal(id)
    else if (!storesRows(type)) {
      for (const { id } of [rows, download]) await expectRefusal(id)
      if (type !== firing) await expectRefusal(feedback.id)
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
