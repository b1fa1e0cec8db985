import type { Checkpoints } from '@assay/event-store'
import { AssayError } from '@assay/service-kit/errors'

const publishers = ['catalog', 'policy', 'execution', 'sampling', 'notification'].map(
  (service) => `${service}-publisher`,
)

type OpenStore = (name: string) => Promise<{ checkpoints: Pick<Checkpoints, 'restart'>; close(): Promise<void> }>

/**
 * Restarts every publisher at the beginning of the log. Use it if topics have lost messages. Messages that a topic still
 * has are published again, which is harmless, because consumers are idempotent. Yields a line for each publisher.
 * Throws `not-found` if nothing was published before.
 */
export async function* republish(stores: readonly string[], open: OpenStore): AsyncIterable<string> {
  let count = 0
  for (const name of stores) {
    const store = await open(name)
    try {
      for (const publisher of publishers) {
        if (!(await store.checkpoints.restart(publisher))) continue
        count += 1
        yield `${publisher} will publish its whole log again.\n`
      }
    } finally {
      await store.close()
    }
  }
  if (count === 0)
    throw new AssayError(
      'not-found',
      'No publisher has a checkpoint in these stores, so services publish their whole log anyway.',
    )
}
