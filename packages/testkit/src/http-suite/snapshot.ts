import { type Operation, operations } from '@assay/contracts'
import type { HttpClient } from './client.ts'
import type { Fixtures } from './fixtures.ts'
import { pathOf } from './requests.ts'

/** Values that change by themselves. */
const moving = /"(lastUsedAt|storedBytes)":(\d+|null)/g

/** The current answers of all reads of those operations. */
export async function snapshot(
  client: HttpClient,
  fixtures: Fixtures,
  concerns: (operation: Operation) => boolean,
): Promise<Record<string, string>> {
  const reads = operations.filter(
    (operation) => operation.method === 'GET' && !operation.file && !operation.events && concerns(operation),
  )
  const seen = await Promise.all(
    reads.map(async (operation) => {
      const { status, text } = await client.call('GET', pathOf(operation, fixtures))
      return [operation.id, `${status} ${text.replace(moving, '')}`]
    }),
  )
  return Object.fromEntries(seen)
}

/** Values of things that have not ended yet. */
const underWay = /"(RUNNING|IN_PROGRESS|SUBMITTED|QUEUED)"/

/** The same, once everything started before has ended: nothing is running, and two snapshots in a row are equal. */
export async function settled(
  client: HttpClient,
  fixtures: Fixtures,
  concerns: (operation: Operation) => boolean,
): Promise<Record<string, string>> {
  let last = await snapshot(client, fixtures, concerns)
  return client.eventually(async () => {
    const now = await snapshot(client, fixtures, concerns)
    // The audit keeps such values forever.
    const isOpen = (id: string, text: string) => id !== 'listAudit' && underWay.test(text)
    const open = Object.entries(now).flatMap(([id, text]) => (text !== last[id] || isOpen(id, text) ? [id] : []))
    last = now
    if (open.length > 0) throw new Error(`The answers of ${open.join(', ')} keep changing by themselves.`)
    return now
  })
}
