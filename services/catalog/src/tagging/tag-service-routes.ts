import { tagServiceOperations as operations, type QueryOf } from '@assay/contracts'
import { type Condition, type Documents, findPage } from '@assay/documents'
import type { CommandContext, CommandHandler, NumberBlocks, Reservations } from '@assay/event-store'
import { type Clock, isoTime, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { contextOf } from '../assemblies/assembly-routes.ts'
import { tags as tagDocuments } from '../tag/aggregate.ts'
import { tagKeyAggregate, tagKeys } from '../tag-key/aggregate.ts'
import { keysOf } from './keys-of-tags.ts'
import { tagKeyRecord, tagPairRecord, tagValueRecord } from './tag-records.ts'
import type { Tags } from './tags.ts'

const keyScope = 'tagkey'

type SearchQuery = QueryOf<typeof operations.searchTagValues>

/** Conditions on tags. Conditions on their keys are given as ids of keys. */
function conditions(query: SearchQuery, keyIds: readonly number[] | undefined): Condition[] {
  const { keyName, value, valueStatus, dataProtection, keyValueIds, valueCreatedBy } = query
  const where: Condition[] = []
  if (keyIds !== undefined) where.push({ field: 'keyId', in: keyIds })
  if (keyName) where.push({ field: 'keyName', contains: keyName })
  if (value) where.push({ field: 'value', contains: value })
  if (dataProtection !== undefined) where.push({ field: 'protectedData', is: dataProtection })
  if (keyValueIds !== undefined) where.push({ field: 'id', in: keyValueIds })
  if (valueCreatedBy) where.push({ field: 'createdBy', is: valueCreatedBy })
  const statuses = valueStatus ?? ['ACTIVE']
  const wanted = [
    ...(statuses.includes('ACTIVE') ? ['active'] : []),
    ...(statuses.includes('MERGED') ? ['merging', 'merged'] : []),
  ]
  where.push({ field: 'status', in: wanted })
  return where
}

/** Routes of the tag service, which shows the same tags as pairs of key and value. */
export function tagServiceRoutes(deps: {
  handler: CommandHandler
  documents: Documents
  numbers: NumberBlocks
  reservations: Reservations
  clock: Clock
  tags: Tags
}): Route[] {
  const { handler, documents, numbers, reservations, clock, tags } = deps

  /** Ids of the requested keys; `undefined` if there is no condition on keys. */
  async function wantedKeys(tenant: string, query: SearchQuery): Promise<number[] | undefined> {
    const { keyIds, keyType, keyStatus, keyCreatedBy } = query
    if (keyStatus !== undefined && !keyStatus.includes('ACTIVE')) return []
    if (keyType === undefined && !keyCreatedBy) return keyIds
    const where: Condition[] = []
    if (keyIds !== undefined) where.push({ field: 'id', in: keyIds })
    if (keyType !== undefined) where.push({ field: 'keyType', in: keyType })
    if (keyCreatedBy) where.push({ field: 'createdBy', is: keyCreatedBy })
    const ids: number[] = []
    for (let page = 0; ids.length < 10_000; page++) {
      const { documents: found } = await documents.find(tagKeys, tenant, { where, page, size: 1000 })
      ids.push(...found.map(({ id }) => id))
      if (found.length < 1000) break
    }
    return ids
  }

  async function valuesFor(
    tenant: string,
    key: { id: number; name: string },
    values: readonly string[],
    context: CommandContext,
  ) {
    const made = []
    for (const value of new Set(values)) {
      const tag = { keyId: key.id, keyName: key.name, value, protectedData: false }
      made.push(tagValueRecord(await tags.ensure(tenant, tag, context), tenant))
    }
    return made
  }

  return [
    route(operations.createTagKey, async (call) => {
      const { tenant } = call.identity
      const context = contextOf(call)
      const { key: name, values = [], type: keyType = 'USER', keyDescription: description = '' } = call.body
      const [id = 0] = await numbers.take(tenant, 'tagkey')
      await reservations.hold(tenant, keyScope, name, String(id))
      const of = { keyId: id, name, keyType, description, at: isoTime(clock.now()), by: context.actor }
      const command = { type: 'CreateTagKey', ...of } as const
      const { state } = await handler.handle(tagKeyAggregate, { tenant, id, command, context })
      await reservations.confirm(tenant, keyScope, name, String(id))
      if (state.status === 'absent') throw new AssayError('internal', 'The tag key was created, but does not exist.')
      return { body: { key: tagKeyRecord(state, tenant), values: await valuesFor(tenant, state, values, context) } }
    }),
    route(operations.addTagValues, async (call) => {
      const { tenant } = call.identity
      const { state } = await handler.load(tagKeyAggregate, tenant, call.params.keyId)
      if (state.status === 'absent') throw new AssayError('not-found', 'There is no such tag key.')
      return { body: { values: await valuesFor(tenant, state, call.body.values, contextOf(call)) } }
    }),
    route(operations.searchTagValues, async (call) => {
      const { tenant } = call.identity
      const { page, size, sortBy } = call.query
      const { documents: found, count } = await findPage(documents, call, tagDocuments, {
        tenant,
        where: conditions(call.query, await wantedKeys(tenant, call.query)),
        ...(sortBy === undefined ? {} : { sort: [sortBy] }),
        page,
        size,
      })
      const keys = await keysOf(documents, tenant, found)
      const results = found.map((tag) => tagPairRecord(tag, keys.get(tag.keyId ?? 0)))
      return { body: { results, total: count, page, size } }
    }),
  ]
}
