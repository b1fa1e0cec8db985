import { AssayError } from '@assay/service-kit/errors'
import { checkedKey, checkedPrefix } from './key.ts'
import type { Stage } from './port.ts'

/** What an adapter does with the folder of a stage. */
export interface StageFolder {
  path: string
  /** Brings its files to `key` and lets go of the folder. */
  keep(key: string, segments: readonly string[]): Promise<void>
  remove(): Promise<void>
}

/** Throws `invalid` where a stage is asked for anything but one tenant. */
export function assertTenant(tenant: string): void {
  if (checkedPrefix(tenant).length !== 1)
    throw new AssayError('invalid', `A stage is made for one tenant: '${tenant}' has several parts.`)
}

/** The stage of one tenant in a folder; it ends with the first commit that succeeds, or with a discard. */
export function createStage(
  tenant: string,
  folder: StageFolder,
  translating: <T>(work: () => Promise<T>) => Promise<T>,
): Stage {
  let ended = false
  return {
    folder: folder.path,
    commit: (key) =>
      translating(async () => {
        const segments = checkedKey(key)
        if (segments[0] !== tenant) throw new AssayError('invalid', `The key ${key} is not one of tenant ${tenant}.`)
        if (ended) throw new AssayError('internal', 'This stage has been committed or discarded already.')
        await folder.keep(key, segments)
        ended = true
      }),
    discard: () =>
      translating(async () => {
        if (ended) return
        ended = true
        await folder.remove()
      }),
  }
}
