import { AssayError } from '@assay/service-kit/errors'
import { checkedKey, checkedPrefix } from './key.ts'
import type { Stage } from './port.ts'

/** How an adapter commits and removes the folder of a stage. */
export interface StageFolder {
  path: string
  /** Moves the files to `key`. Afterwards the folder no longer exists. */
  commit(key: string, segments: readonly string[]): Promise<void>
  remove(): Promise<void>
}

/** Throws `invalid` unless the stage is for exactly one tenant. */
export function assertTenant(tenant: string): void {
  if (checkedPrefix(tenant).length !== 1)
    throw new AssayError('invalid', `A stage is for one tenant, but '${tenant}' has several parts.`)
}

/** The stage of one tenant in a folder. It ends with the first successful commit, or with a discard. */
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
        if (segments[0] !== tenant)
          throw new AssayError('invalid', `The key ${key} does not belong to the tenant ${tenant}.`)
        if (ended) throw new AssayError('internal', 'This stage has been committed or discarded already.')
        await folder.commit(key, segments)
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
