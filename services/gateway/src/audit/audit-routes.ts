import { adminOperations, auditEntityTypes } from '@assay/contracts'
import { type Condition, type Documents, findPage } from '@assay/documents'
import type { ReadYourWrites } from '@assay/event-store'
import { type Call, isoTime, type Route, route } from '@assay/service-kit'
import type { AnsweredPositions } from '../http/answered-positions.ts'
import { auditLines, lineOf } from './collection.ts'

const isEntityType = (text: string) => auditEntityTypes.includes(text)

/** `ASSET/7`, `ASSET` or `7`. */
function conditionsOfEntity(entity: string): Condition[] {
  const slash = entity.indexOf('/')
  if (slash > 0)
    return [
      { field: 'entityType', is: entity.slice(0, slash).toUpperCase() },
      { field: 'entityId', is: entity.slice(slash + 1) },
    ]
  return [{ field: isEntityType(entity) ? 'entityType' : 'entityId', is: entity }]
}

/** A type of entity (`POLICY`) or an action (`PolicyCreated`). */
function conditionOfType(type: string): Condition {
  return { field: isEntityType(type) ? 'entityType' : 'action', is: type }
}

/** Who changed what. The answer includes the caller's own earlier writes. */
export function auditRoutes(deps: {
  documents: Documents
  /** Waits for the lines of positions. */
  readYourWrites: ReadYourWrites
  writes: Pick<AnsweredPositions, 'with'>
}): Route[] {
  const { documents, readYourWrites, writes } = deps

  /** Waits until the audit has a line for every recent write of the caller, here or at another gateway. */
  async function waitForWrites({ identity, written, signal }: Call<typeof adminOperations.listAudit>) {
    const { tenant, accessKey } = identity
    const seen = [...writes.with(accessKey, written ?? new Map()).values()].flat()
    await readYourWrites({ tenant, caller: accessKey, seen, signal })
  }

  return [
    route(adminOperations.listAudit, async (call) => {
      const { query } = call
      const { tenant } = call.identity
      await waitForWrites(call)
      const { actor, entity, type, from, to, page, size, sortBy } = query
      const where: Condition[] = [
        ...(actor === undefined ? [] : [{ field: 'actor', is: actor }]),
        ...(entity === undefined ? [] : conditionsOfEntity(entity)),
        ...(type === undefined ? [] : [conditionOfType(type)]),
        ...(from === undefined ? [] : [{ field: 'at', from: isoTime(from) }]),
        ...(to === undefined ? [] : [{ field: 'at', to: isoTime(to) }]),
      ]
      const first = sortBy ?? { field: 'at', direction: 'desc' as const }
      // Position breaks ties between writes of the same millisecond.
      const sort = [first, { field: 'position', direction: first.direction }]
      const { documents: lines, count } = await findPage(documents, call, auditLines, {
        tenant,
        where,
        sort,
        page,
        size,
      })
      return { body: { data: lines.map(lineOf), meta: { count, page, size } } }
    }),
  ]
}
