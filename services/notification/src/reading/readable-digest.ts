import type { Documents } from '@assay/documents'
import type { Caller } from '@assay/service-kit'
import { allRows } from '../digest/all-rows.ts'
import { digestOf, duringQuietHours } from '../digest/digest.ts'
import { readable } from '../notification/about.ts'
import type { StoredNotification } from '../notification/notification.ts'
import { readableBy } from './own.ts'

/** A row as the caller may read it: a digest summarises and counts only the parts that the caller's key may read. */
export async function asReadable(
  documents: Pick<Documents, 'find'>,
  call: Caller,
  row: StoredNotification,
): Promise<StoredNotification> {
  const { abouts, collects, count, parts, link, at } = row
  if (abouts === undefined || collects === null) return row
  const { tenant, permissions } = call.identity
  const some = readable(permissions)
  if (count === parts && abouts.every((about) => some.includes(about))) return row
  const own = await allRows(documents, tenant, [...readableBy(call), { field: 'partOf', is: collects }])
  const content = digestOf(own, { during: duringQuietHours, link, at })
  // Parts expire before their digest.
  if (content === undefined) return { ...row, title: `Notifications ${duringQuietHours}`, text: 'They have expired.' }
  const { title, text, severity } = content
  return { ...row, title, text, severity, count: own.length }
}
