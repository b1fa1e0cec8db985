import { AssayError } from '@assay/service-kit/errors'
import type { Db, Collection as MongoCollection } from 'mongodb'
import { checkedFacets, checkedQuery, searchText } from '../checked-query.ts'
import type { Collection, DocumentId, Documents, SearchFound, SearchQuery } from '../port.ts'
import { searchLimit } from '../search/candidates.ts'
import { filterOf, sortOf } from './filter.ts'
import { facetsOf, type Group, groupedBy } from './groups.ts'
import { valuePath } from './layout.ts'
import type { Limits } from './limits.ts'
import type { NameRecord, WordRecord } from './names.ts'
import { pageOf } from './page-of.ts'
import type { Pointers } from './pointers.ts'
import { type DocumentRecord, idOf, parsed } from './record.ts'
import { searchHits } from './search.ts'
import { type Timestamps, timeOf, tokenOf } from './snapshot-tokens.ts'

/** `search` of the port: by name if there is a text, otherwise `find` with facets. */
export function createSearching(deps: {
  database: Db
  layout: Pointers['layout']
  /** One read of the live collection. */
  reading: <T>(
    name: string,
    read: (live: MongoCollection<DocumentRecord>, liveName: string) => Promise<T>,
  ) => Promise<T>
  find: Documents['find']
  timestamps: Timestamps
  limits: Limits
}): Documents['search'] {
  const { database, layout, reading, find, timestamps, limits } = deps
  const inTime = { maxTimeMS: limits.operation }
  return async <T>(collection: Collection<T>, tenant: string, query: SearchQuery): Promise<SearchFound<T>> => {
    const { search } = collection
    if (search === undefined) throw new AssayError('internal', `The collection ${collection.name} cannot be searched.`)
    const { where, sort, page, size, maxBytes } = checkedQuery(collection, query)
    const facets = checkedFacets(collection, query.facets)
    const text = searchText(query.text)
    const asked = tenant.toWellFormed()
    if (text.trim() === '') {
      const { documents, count, ...token } = await find(collection, tenant, query)
      const groups =
        facets.length === 0
          ? []
          : await reading(collection.name, (live, liveName) => {
              const upTo = timeOf(collection.name, liveName, query.asOf)
              const first = [{ $sort: { [valuePath('id')]: 1 } }, { $limit: searchLimit }]
              const stages = [{ $match: filterOf(asked, where, upTo) }, ...first, groupedBy(facets)]
              return live.aggregate<Group>(stages, inTime).toArray()
            })
      const isFacetCapped = facets.length > 0 && count > searchLimit
      return { documents, count, isCountCapped: false, facets: facetsOf(groups, facets), isFacetCapped, ...token }
    }
    const { names: namesName, words: wordsName } = layout(collection.name)
    const names = database.collection<NameRecord>(namesName)
    const words = database.collection<WordRecord>(wordsName)
    return reading(collection.name, async (live, liveName) => {
      const upTo = timeOf(collection.name, liveName, query.asOf)
      const time = timestamps.ofToken()
      const boosts = query.boosts ?? new Map<DocumentId, number>()
      const about = { records: live, names, words, tenant: asked, search, text, where, upTo, facets, boosts }
      const byRank = query.sort === undefined
      const needed = Math.min(byRank ? (page + 1) * size : searchLimit, searchLimit)
      const { ids, groups, count, isCountCapped } = await searchHits({ ...about, maxTimeMS: limits.operation }, needed)
      const wanted = byRank ? ids.slice(page * size) : ids
      const filter = filterOf(asked, [{ field: 'id', in: wanted }])
      const paging = byRank ? {} : { sort: sortOf(sort), skip: page * size, limit: size }
      const projection = { _id: 0, text: 1, 'f.id': 1, since: 1 }
      const found =
        size === 0 || wanted.length === 0
          ? []
          : await pageOf(live.find(filter, { ...paging, projection, ...inTime }), maxBytes)
      const indexOf = new Map(wanted.map((id, at) => [id, at]))
      if (byRank) found.sort((a, b) => (indexOf.get(idOf(a)) ?? 0) - (indexOf.get(idOf(b)) ?? 0))
      return {
        documents: found.map((record) => parsed<T>(record)),
        count,
        isCountCapped,
        facets: facetsOf(groups, facets),
        isFacetCapped: facets.length > 0 && (isCountCapped || count > searchLimit),
        ...(query.withSnapshotToken === true ? { snapshotToken: tokenOf(collection.name, liveName, time, found) } : {}),
      }
    })
  }
}
