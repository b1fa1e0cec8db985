import { changeOfFiles, changeOfTopic, type LastChange, type LastChangePlan, nothingKnown } from '../../last-change.ts'
import { readLocator } from '../../locators.ts'
import { filesOf, lastMessages, stateOfFiles } from '../sources/index.ts'
import type { RunContext } from './session.ts'

/**
 * For a dataset of files: when they changed, and how large they are. For a topic: when its newest messages arrived. The
 * file of a database has several tables, so its time says nothing about one of them.
 */
export async function lastChange(context: RunContext, { dataset }: LastChangePlan): Promise<LastChange> {
  context.progress({ stage: 'READING', fraction: null })
  const locator = readLocator(dataset)
  const elapsedMs = () => Math.round(performance.now() - context.startedTick)
  if (locator.kind === 'topic') {
    const { stored, times } = await lastMessages(context, locator)
    return changeOfTopic(stored, times, elapsedMs())
  }
  if (locator.kind !== 'files') return nothingKnown(elapsedMs())
  const files = await filesOf(context, locator)
  return changeOfFiles(files, { state: stateOfFiles(locator, files), elapsedMs: elapsedMs() })
}
