import type { Condition, Documents } from '@assay/documents'
import { notifications } from '../notification/aggregate.ts'
import type { StoredNotification } from '../notification/notification.ts'

const atOnce = 100

/** All notifications that match, in pages. */
export async function allRows(
  documents: Pick<Documents, 'find'>,
  tenant: string,
  where: readonly Condition[],
): Promise<StoredNotification[]> {
  const rows: StoredNotification[] = []
  for (let page = 0; ; page += 1) {
    const found = await documents.find(notifications, tenant, { where, page, size: atOnce })
    rows.push(...found.documents)
    if (found.documents.length < atOnce) return rows
  }
}
