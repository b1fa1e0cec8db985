import type { Checkpoints } from '@assay/event-store'
import { AssayError } from '@assay/service-kit/errors'

const publishers = ['catalog', 'policy', 'execution', 'sampling', 'notification'].map(
  (service) => `${service}-publisher`,
)

type OpenPlace = (name: string) => Promise<{ checkpoints: Pick<Checkpoints, 'restart'>; close(): Promise<void> }>

/**
 * Lets every publisher start at the beginning of the log, for topics that have lost their messages. Consumers are
 * idempotent, so topics may have some of them. Yields a line for each publisher. Error: `not-found` if nothing was
 * published before.
 */
export async function* republish(places: readonly string[], open: OpenPlace): AsyncIterable<string> {
  let count = 0
  for (const name of places) {
    const place = await open(name)
    try {
      for (const publisher of publishers) {
        if (!(await place.checkpoints.restart(publisher))) continue
        count += 1
        yield `${publisher} will publish its whole log again.\n`
      }
    } finally {
      await place.close()
    }
  }
  if (count === 0)
    throw new AssayError('not-found', 'No publisher has a checkpoint here, so services publish their whole log anyway.')
}
