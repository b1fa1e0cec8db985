import type { StoreSource } from '../../../dataset.ts'
import type { MountContext } from '../../mount.ts'
import { refused } from '../failures.ts'
import type { SourceLocation } from '../files/location.ts'
import { createObjectTree } from './tree.ts'

/**
 * The location of a source of objects. Throws `unprocessable` if the bucket cannot be listed, or has no objects there.
 */
export async function locationInStore(
  { stores }: Pick<MountContext, 'stores'>,
  source: Pick<StoreSource, 'bucket' | 'prefix'>,
): Promise<SourceLocation> {
  const opened = await stores.open(undefined)
  const { bucket, prefix } = opened.target
  const tree = createObjectTree(opened)
  const name = prefix.split('/').at(-1) || bucket
  const names = await tree.names('')
  if (names.length === 0 && prefix !== '')
    throw refused(`The prefix ${source.prefix}`, `has no objects in the bucket ${bucket}: check both`)
  return { tree, file: null, glob: null, name }
}
