import { AssayError } from '@assay/service-kit/errors'
import type { StoreTarget } from '../../../stores/target.ts'
import { createObjectStore } from './client.ts'
import type { ObjectStore } from './store.ts'

const unknown = () =>
  new AssayError('unprocessable', 'The source of these objects is unknown. Crawl its assembly again.')

/** A store that is open for the duration of a run. */
export interface OpenStore {
  store: ObjectStore
  target: StoreTarget
}

/** The stores of a run. */
export interface Stores {
  /** The store of an assembly; `undefined` for the source that is crawled or checked. Throws `unprocessable`. */
  open(source: number | undefined): Promise<OpenStore>
  close(): void
}

/** For work that does not read stores. */
export const noStores: Stores = {
  open: async () => {
    throw unknown()
  },
  close: () => undefined,
}

export function createStores(targets: readonly StoreTarget[], signal: AbortSignal): Stores {
  const made = new Map<StoreTarget, ReturnType<typeof createObjectStore>>()
  return {
    async open(source) {
      const target = targets.find((one) => source === undefined || one.source === source)
      if (target === undefined) throw unknown()
      const store = made.get(target) ?? createObjectStore(target, signal)
      made.set(target, store)
      return { store: await store, target }
    },
    close() {
      for (const store of made.values())
        void store.then(
          (opened) => opened.close(),
          () => undefined,
        )
    },
  }
}
