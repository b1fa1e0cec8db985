import { executionKinds, operations, policyKinds } from '@assay/contracts'
import { cancel, takeAway } from './ended.ts'
import { admit, annotate, crawl, decide } from './made.ts'
import type { Recorder } from './recorder.ts'
import { createStage } from './stage.ts'

/**
 * Crawls the sources, makes one of each thing, runs what can be run, changes, reads and takes away, so that every operation
 * is called once at least: in the order of the table where nothing here says otherwise. Answers, in sentences, what failed.
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
    // Only a schedule that is there can be switched on.
    await does('setRuleSchedule', { 'data-qualityId': `${facts[`${segment}Id`]}` })
  }
  for (const { detail, result, rows, download } of Object.values(executionKinds)) {
    const segment = detail.path.split('/').at(-3) ?? ''
    // No run of what cannot be run is there to be read.
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
