import { setImmediate } from 'node:timers/promises'
import type { Documents } from '@assay/documents'
import type { NotificationContent } from '../notification/notification.ts'
import type { Repeats } from '../notifying/repeats.ts'
import { type Covering, sidesOf } from '../triggers/covering.ts'
import { targetName, watches, watchKey, watchKeyOf } from '../watch/aggregate.ts'
import { finds, type SearchFacts } from '../watch/search.ts'
import { lets, targetOf, type Watch } from '../watch/watch.ts'
import { searchFactsOf } from './search-facts.ts'

const watchersAtOnce = 500
/** Maximum number of recipients whose latest alarms are read concurrently. */
const askedAtOnce = 50
const keyOf = (watch: Watch): string => watchKeyOf(watch.user, targetOf(watch))

/** Who was notified of the contents of one event before. */
export interface Notified {
  /** Users whom a mention notified. */
  mentioned: readonly string[]
  /** All users, and the recipients that are channels. Grows. */
  all: Set<string>
}

/**
 * The watches that a content notifies, one per user, in pages. Several watches of one user make one notification; only a
 * watch of the asset itself makes a further one for another content of the event.
 */
export type WatchersOf = (
  tenant: string,
  content: NotificationContent,
  of: { covering: Covering; notified: Notified },
) => AsyncIterable<Watch[]>

export function createWatchers(deps: { documents: Documents; repeats: Pick<Repeats, 'isAlarmed'> }): WatchersOf {
  const { documents, repeats } = deps

  async function* pagesOf(tenant: string, targets: readonly string[]): AsyncIterable<Watch[]> {
    if (targets.length === 0) return
    const ofTargets = { field: 'target', in: targets }
    let last: string | undefined
    // Pages by the last id, not by page number: a watch that ends meanwhile would shift the later ones.
    for (;;) {
      const after = last === undefined ? [] : [{ field: 'id', from: last }]
      const found = await documents.find(watches, tenant, { where: [ofTargets, ...after], size: watchersAtOnce })
      const [head] = found.documents
      yield last !== undefined && head && keyOf(head) === last ? found.documents.slice(1) : found.documents
      const tail = found.documents.at(-1)
      last = tail && keyOf(tail)
      if (found.documents.length < watchersAtOnce) return
    }
  }

  /**
   * The watches of the asset itself, then those of what it lies below. Most events have few, which one query finds
   * together.
   */
  async function* tiersOf(
    tenant: string,
    { own, above }: Covering,
  ): AsyncIterable<{ isOwn: boolean; page: readonly Watch[] }> {
    if (own.length + above.length === 0) return
    const where = [{ field: 'target', in: [...own, ...above] }]
    const { documents: few } = await documents.find(watches, tenant, { where, size: watchersAtOnce })
    if (few.length < watchersAtOnce) {
      const isOfOwn = (watch: Watch) => own.includes(targetName(targetOf(watch)))
      yield { isOwn: true, page: few.filter(isOfOwn) }
      yield { isOwn: false, page: few.filter((watch) => !isOfOwn(watch)) }
      return
    }
    for await (const page of pagesOf(tenant, own)) yield { isOwn: true, page }
    for await (const page of pagesOf(tenant, above)) yield { isOwn: false, page }
  }

  /** A recovery is sent only to users who were notified of the alarm before it. */
  async function concerned(tenant: string, some: readonly Watch[], content: NotificationContent): Promise<Watch[]> {
    if (content.kind !== 'EXECUTION_RECOVERED') return [...some]
    const due: Watch[] = []
    for (let from = 0; from < some.length; from += askedAtOnce) {
      const asked = some.slice(from, from + askedAtOnce)
      const isDue = await Promise.all(asked.map(({ user }) => repeats.isAlarmed(tenant, user, content)))
      due.push(...asked.filter((_, n) => isDue[n]))
      // An in-process store never yields to the event loop.
      await setImmediate()
    }
    return due
  }

  /** Without watches of searches that find neither the asset nor what it lies below. */
  async function found(tenant: string, some: readonly Watch[], covering: Covering): Promise<readonly Watch[]> {
    if (some.every(({ search }) => search === null)) return some
    const sides = await Promise.all(sidesOf(covering).map((side) => searchFactsOf(documents, tenant, side)))
    const facts = sides.flat()
    const matching = some.map((watch) => {
      const { search } = watch
      return { watch, found: search === null ? [] : facts.filter((each) => finds(search, each)) }
    })
    const isWatched = await watchedAmong(
      tenant,
      matching.filter(({ watch }) => watch.search?.watched),
    )
    return matching.flatMap(({ watch, found }) => {
      const { search, user } = watch
      if (search === null) return watch
      return found.some(({ assetId }) => !search.watched || isWatched(user, assetId)) ? watch : []
    })
  }

  /** Which of the assets that searches found the users of these searches watch by their ids. */
  async function watchedAmong(tenant: string, some: readonly { watch: Watch; found: readonly SearchFacts[] }[]) {
    const keys = some.flatMap(({ watch: { user }, found }) => found.map(({ assetId }) => watchKey(user, assetId)))
    const known = new Set<string>()
    for (let from = 0; from < keys.length; from += watchersAtOnce) {
      const ids = keys.slice(from, from + watchersAtOnce)
      const where = [{ field: 'id', in: ids }]
      const found = await documents.find(watches, tenant, { where, size: ids.length })
      for (const watch of found.documents) known.add(keyOf(watch))
    }
    return (user: string, assetId: number) => known.has(watchKey(user, assetId))
  }

  return async function* (tenant, content, { covering, notified }) {
    const direct = new Set<string>(notified.mentioned)
    for await (const { isOwn, page } of tiersOf(tenant, covering)) {
      // Events from before a watch do not trigger it, however late they arrive.
      const passing = page.filter((watch) => content.at >= watch.since && lets(watch, content))
      const due = await found(tenant, passing, covering)
      const first = due.filter(({ user }) => {
        const isFirst = isOwn ? !direct.has(user) : !notified.all.has(user)
        notified.all.add(user)
        direct.add(user)
        return isFirst
      })
      yield await concerned(tenant, first, content)
    }
  }
}
