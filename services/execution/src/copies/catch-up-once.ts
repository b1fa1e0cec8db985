import type { Checkpoints } from '@assay/event-store'

/** Marks work as done. Only its presence counts. */
const position = '0000000000000000001'

/**
 * Does `work` once per installation, for documents that were stored before this version. It is repeated until it ends
 * without an error, so it must be idempotent.
 */
export async function catchUpOnce(
  checkpoints: Pick<Checkpoints, 'get' | 'set'>,
  name: string,
  work: () => Promise<void>,
): Promise<void> {
  if ((await checkpoints.get(name)) !== undefined) return
  await work()
  await checkpoints.set(name, position, 0)
}
