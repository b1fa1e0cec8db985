import type { Documents } from '@assay/documents'
import type { RunGiven } from '@assay/reliability'
import type { Execution } from '../execution/execution.ts'
import { bySide } from '../execution/sides.ts'
import type { Versions } from '../versions/versions.ts'
import { openSides } from './open-sides.ts'

/** Reads what a run needs to begin: its versions, its sides and the findings of earlier runs. Errors: those of `openSides`. */
export async function openRun(
  { documents, versions }: { documents: Documents; versions: Versions },
  tenant: string,
  state: Execution,
) {
  const { run } = await versions.of(tenant, state)
  const { markKey, sides } = await openSides(documents, tenant, run)
  const opened: RunGiven = {
    ...run,
    markKey,
    sides: bySide(sides, (side) => side.given),
    learned: await versions.learnedOf(tenant, run),
    afterCrawl: run.cause.kind === 'CRAWL',
  }
  return { run, markKey, sides, opened }
}
