import { executionKinds, operations, policyKinds } from '@assay/contracts'
import { cancel, takeAway } from './ended.ts'
import { admit, annotate, crawl, decide } from './made.ts'
import type { Recorder } from './recorder.ts'
import { createStage } from './stage.ts'

/**
 * Crawls the sources, creates one of each thing, runs everything that can run, changes, reads and deletes, so that
 * every operation is called at least once: in the order of the table, except for the operations listed here. Answers
 * the failures as sentences.
 */
export async function tell(recorder: Recorder, sources: { samples: string; warehouse: string }): Promise<string[]> {
  const stage = createStage(recorder, { ...sources, noPipeline: 'default', category: 'bad', version: '1' })
  const { tries, does, isRefused, facts, failures } = stage
  await crawl(stage)
  await annotate(stage)
  await decide(stage)
  await admit(stage)
  const tagId = String((await does('createTag')).id)
  for (const id of ['updateTag', 'mergeTag']) await tries(id, { tagId })
  for (const kind of Object.values(policyKinds)) {
    const segment = kind.create.path.split('/').at(-1) ?? ''
    // Only an existing schedule can be switched on.
    await does('setRuleSchedule', { 'data-qualityId': `${facts[`${segment}Id`]}` })
  }
  for (const { detail, result, rows, download } of Object.values(executionKinds)) {
    const segment = detail.path.split('/').at(-3) ?? ''
    // A policy that cannot run has no run to read.
    if (facts[`${segment}ExecutionId`] === undefined)
      for (const { id } of [detail, result, rows, download]) await isRefused(id)
  }
  for (const { id, method } of operations)
    if (/PUT|POST/.test(method) && !/^(cancel|unarchive)/.test(id)) await tries(id)
  for (const { id, method } of operations) if (method === 'GET') await tries(id)
  await cancel(stage)
  await takeAway(stage)
  for (const { id } of operations) {
    if (id === 'unwatchAssetByUid') await does('watchAssetByUid')
    await tries(id)
  }
  return failures
}
