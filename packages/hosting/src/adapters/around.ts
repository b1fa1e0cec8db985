import type { Artifacts } from '@assay/artifacts'
import type { Documents } from '@assay/documents'
import { type Commit, type EventStore, parseStreamName } from '@assay/event-store'

/** A call to a store. `of` is the category of streams or the name of the collection, never a tenant or an id. */
export interface StoreCall {
  operation: string
  of?: string | undefined
}

/** A wrapper around calls. It must call `work` exactly once, and return or throw its outcome. */
export type Around = <T>(call: StoreCall, work: () => Promise<T>) => Promise<T>

const categoryOf = (stream: string) => parseStreamName(stream)?.category

/** The event store with `around` applied to each call. */
export function aroundEventStore(store: EventStore, around: Around): EventStore {
  async function* following(options: Parameters<EventStore['subscribe']>[0]) {
    const slices = store.subscribe(options)[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await around({ operation: 'subscribe' }, () => slices.next())
        if (next.done) return
        yield next.value
      }
    } finally {
      await slices.return?.()
    }
  }
  const { truncate } = store
  return {
    append: (stream, events, expected) =>
      around({ operation: 'append', of: categoryOf(stream) }, () => store.append(stream, events, expected)),
    read: (stream, options) => around({ operation: 'read', of: categoryOf(stream) }, () => store.read(stream, options)),
    readAll: (options) => around({ operation: 'readAll' }, () => store.readAll(options)),
    subscribe: following,
    ...(truncate === undefined
      ? {}
      : {
          truncate: (stream: string, count: number) =>
            around({ operation: 'truncate', of: categoryOf(stream) }, () => truncate(stream, count)),
        }),
    close: () => store.close(),
  }
}

/** A commit of events and documents with `around` applied to each call. */
export function aroundCommit(commit: Commit, around: Around): Commit {
  return (append, puts) => around({ operation: 'append', of: categoryOf(append.stream) }, () => commit(append, puts))
}

/** The read models with `around` applied to each call. */
export function aroundDocuments(documents: Documents, around: Around): Documents {
  async function* scanning<T>(...[collection, options]: Parameters<typeof documents.scan<T>>) {
    const found = documents.scan<T>(collection, options)[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await around({ operation: 'scan', of: collection.name }, () => found.next())
        if (next.done) return
        yield next.value
      }
    } finally {
      await found.return?.()
    }
  }
  return {
    get: (collection, ...rest) =>
      around({ operation: 'get', of: collection.name }, () => documents.get(collection, ...rest)),
    getJsonWithRelated: (collection, ...rest) =>
      around({ operation: 'get', of: collection.name }, () => documents.getJsonWithRelated(collection, ...rest)),
    put: (puts) => around({ operation: 'put', of: puts[0]?.collection.name }, () => documents.put(puts)),
    find: (collection, ...rest) =>
      around({ operation: 'find', of: collection.name }, () => documents.find(collection, ...rest)),
    search: (collection, ...rest) =>
      around({ operation: 'search', of: collection.name }, () => documents.search(collection, ...rest)),
    scan: scanning,
    close: () => documents.close(),
  }
}

/** The store of results with `around` applied to each call. */
export function aroundArtifacts(artifacts: Artifacts, around: Around): Artifacts {
  return {
    async stage(tenant) {
      const stage = await around({ operation: 'stage' }, () => artifacts.stage(tenant))
      return {
        folder: stage.folder,
        commit: (key) => around({ operation: 'commit' }, () => stage.commit(key)),
        discard: () => around({ operation: 'discard' }, () => stage.discard()),
      }
    },
    list: (prefix) => around({ operation: 'list' }, () => artifacts.list(prefix)),
    open: (key) => around({ operation: 'open' }, () => artifacts.open(key)),
    readText: (key) => around({ operation: 'readText' }, () => artifacts.readText(key)),
    remove: (prefix) => around({ operation: 'remove' }, () => artifacts.remove(prefix)),
    sweep: () => around({ operation: 'sweep' }, () => artifacts.sweep()),
    check: () => around({ operation: 'check' }, () => artifacts.check()),
    close: () => artifacts.close(),
  }
}
