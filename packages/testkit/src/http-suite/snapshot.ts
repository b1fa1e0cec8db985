import { type Operation, operations } from '@assay/contracts'
import type { HttpClient } from './client.ts'
import type { Fixtures } from './fixtures.ts'
import { pathOf } from './requests.ts'

/** Values that change without a write. */
const changing = /"(lastUsedAt|storedBytes)":(\d+|null)/g

/** The current answers of all reads that `concerns` selects. */
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
      return [operation.id, `${status} ${text.replace(changing, '')}`]
    }),
  )
  return Object.fromEntries(seen)
}

/** Statuses of things that have not ended yet. */
const inProgress = /"(RUNNING|IN_PROGRESS|SUBMITTED|QUEUED)"/

/** A snapshot, once nothing is running and two snapshots in a row are equal. */
export async function settled(
  client: HttpClient,
  fixtures: Fixtures,
  concerns: (operation: Operation) => boolean,
): Promise<Record<string, string>> {
  let last = await snapshot(client, fixtures, concerns)
  return client.eventually(async () => {
    const now = await snapshot(client, fixtures, concerns)
    // The audit has such statuses forever.
    const isOpen = (id: string, text: string) => id !== 'listAudit' && inProgress.test(text)
    const open = Object.entries(now).flatMap(([id, text]) => (text !== last[id] || isOpen(id, text) ? [id] : []))
    last = now
    if (open.length > 0) throw new Error(`The answers of ${open.join(', ')} keep changing.`)
    return now
  })
}
