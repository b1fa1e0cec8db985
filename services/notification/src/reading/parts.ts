import { notificationOperations as operations } from '@assay/contracts'
import { type Condition, type Documents, type Found, findPage } from '@assay/documents'
import { type Caller, type Route, route } from '@assay/service-kit'
import { readTimesOf } from '../inbox/read-times.ts'
import { groupOfRow, notifications } from '../notification/aggregate.ts'
import type { StoredNotification } from '../notification/notification.ts'
import { readableBy } from './own.ts'
import { type Part, pageOf } from './pages.ts'
import { recordOf } from './record.ts'

/** The parts of a row, without those that the caller's key may not read. */
export function partsRoute({
  documents,
  ownWithId,
}: {
  documents: Documents
  /** Throws `not-found`. */
  ownWithId: (call: Caller, id: number) => Promise<StoredNotification>
}): Route {
  return route(operations.listNotificationParts, async (call) => {
    const { page, size, sortBy } = call.query
    const row = await ownWithId(call, call.params.id)
    const direction = sortBy?.direction ?? 'desc'
    const field = sortBy?.field === 'id' ? 'notificationId' : 'createdAt'
    const sort = [
      { field, direction },
      { field: 'notificationId', direction },
    ]
    const partsOf =
      (group: string): Part<StoredNotification> =>
      (paging) => {
        const where: Condition[] = [...readableBy(call), { field: 'partOf', is: group }]
        return findPage(documents, call, notifications, { tenant: call.identity.tenant, where, sort, ...paging })
      }
    // A row with repeats is itself the first of its parts.
    const first: Part<StoredNotification> = async (paging): Promise<Found<StoredNotification>> => ({
      documents: paging.page === 0 && paging.size > 0 ? [row] : [],
      count: 1,
    })
    const repeats = partsOf(groupOfRow(row.key))
    const single = direction === 'desc' ? [repeats, first] : [first, repeats]
    const found = await pageOf(row.collects === null ? single : [partsOf(row.collects)], { page, size })
    const { readTimes } = await readTimesOf(documents, call.identity)
    const data = found.documents.map((stored) => recordOf(stored, readTimes))
    return { body: { data, meta: { count: found.count, page, size } } }
  })
}
