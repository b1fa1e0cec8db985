import type { Documents } from '@assay/documents'
import { type CommandHandler, type NumberBlocks, stateText } from '@assay/event-store'
import { type Caller, type Clock, commandContext, isoTime } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { watchAggregate, watches, watchKeyOf } from '../watch/aggregate.ts'
import { type Narrowing, targetOf, type Watch, type WatchTarget } from '../watch/watch.ts'

type Changed = { watch: Watch; states: readonly string[] }

/** Maximum number of watches of a user. */
const maxWatches = 5_000

/** Changes the watches of the key's owner. `states`: what a caller should find at the catalog. */
export interface Watching {
  /** Repeating it without `narrowing` changes nothing. Throws `unprocessable` if the user has too many watches. */
  begin(call: Caller, target: WatchTarget, narrowing: Partial<Narrowing>): Promise<Changed>
  /** Throws `not-found`. Absent fields stay. */
  narrow(call: Caller, watchId: number, narrowing: Partial<Narrowing>): Promise<Changed>
  /** Throws `not-found`. */
  end(call: Caller, target: WatchTarget): Promise<readonly string[]>
  /** The own watch with the id. Throws `not-found`. */
  withId(call: Caller, watchId: number): Promise<Watch>
}

/** The catalog copies watches of assets only. */
function shown(watch: Watch, revision: number): Changed {
  return { watch, states: watch.assetId === null ? [] : [stateText('assetwatch', watch.watchId, revision)] }
}

export function createWatching(deps: {
  commands: CommandHandler
  documents: Documents
  numbers: NumberBlocks
  clock: Clock
}): Watching {
  const { commands, documents, numbers, clock } = deps

  async function withId({ identity: { tenant, user } }: Caller, watchId: number): Promise<Watch> {
    const where = [
      { field: 'user', is: user },
      { field: 'watchId', is: watchId },
    ]
    const [watch] = (await documents.find(watches, tenant, { where, size: 1 })).documents
    if (watch === undefined) throw new AssayError('not-found', `You have no watch with the id ${watchId}.`)
    return watch
  }

  async function assertFew({ identity: { tenant, user } }: Caller): Promise<void> {
    const { count } = await documents.find(watches, tenant, { where: [{ field: 'user', is: user }], size: 0 })
    if (count < maxWatches) return
    const message = `You have ${count} watches, which is the maximum. End some, or watch a folder, an assembly or a tag: one watch covers everything below it.`
    throw new AssayError('unprocessable', message)
  }

  return {
    withId,
    async begin(call, target, narrowing) {
      const { tenant, user } = call.identity
      const id = watchKeyOf(user, target)
      const stored = await documents.get(watches, tenant, id)
      const isSame = narrowing.kinds === undefined && narrowing.minSeverity === undefined
      if (stored && isSame) return shown(stored.document, stored.source.revision)
      if (!stored) await assertFew(call)
      const [watchId] = stored ? [stored.document.watchId] : await numbers.take(tenant, 'watch')
      if (watchId === undefined) throw new AssayError('internal', 'No number was given for a watch.')
      const command = { type: 'Watch' as const, watchId, target, user, narrowing, at: isoTime(clock.now()) }
      const context = commandContext(call)
      const { state, revision } = await commands.handle(watchAggregate, { tenant, id, command, context })
      if (state.status !== 'watching') throw new AssayError('internal', 'The new watch is missing.')
      return shown(state.watch, revision)
    },
    async narrow(call, watchId, narrowing) {
      const { tenant, user } = call.identity
      const id = watchKeyOf(user, targetOf(await withId(call, watchId)))
      const command = { type: 'NarrowWatch' as const, narrowing, at: isoTime(clock.now()) }
      const context = commandContext(call)
      const { state, revision } = await commands.handle(watchAggregate, { tenant, id, command, context })
      if (state.status !== 'watching') throw new AssayError('not-found', 'You have no such watch.')
      return shown(state.watch, revision)
    },
    async end(call, target) {
      const { tenant, user } = call.identity
      const command = { type: 'Unwatch' as const, at: isoTime(clock.now()) }
      const request = { tenant, id: watchKeyOf(user, target), command, context: commandContext(call) }
      const { state, revision } = await commands.handle(watchAggregate, request)
      return state.status === 'none' ? [] : shown(state.watch, revision).states
    },
  }
}
