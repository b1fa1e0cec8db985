import { type DocumentPut, type Documents, defineCollection, documentPut, type Source } from '@assay/documents'
import { z } from 'zod'
import { type AnyWork, isOpen } from './claim.ts'

const pageSize = 500
/** Holds the open work of all tenants, so that one query finds it. No route reads it. */
const openTenant = 'system'

const openEntry = z.object({
  kind: z.string(),
  tenant: z.string(),
  id: z.string(),
  state: z.enum(['waiting', 'running']),
  since: z.int(),
  claimableAt: z.int(),
})
export type OpenEntry = z.infer<typeof openEntry>

/**
 * One small document for each piece of open work, so that the cost of a sweep depends only on open work. `since`: when
 * it was requested, or became claimable; `claimableAt`: when a worker may claim it. Both are epoch milliseconds.
 */
export const openWork = defineCollection<OpenEntry>({
  name: 'open_work',
  version: 1,
  idType: 'text',
  schema: openEntry,
  fields: {
    kind: { type: 'text', of: ({ kind }) => kind, required: true, alone: false },
    tenant: { type: 'text', of: ({ tenant }) => tenant, required: true, alone: false },
    state: { type: 'text', of: ({ state }) => state, required: true, alone: false },
    since: { type: 'integer', of: ({ since }) => since, required: true, alone: false },
    claimableAt: { type: 'integer', of: ({ claimableAt }) => claimableAt, required: true, alone: false },
  },
  listings: [
    ['kind', 'claimableAt'],
    ['kind', 'state', 'since'],
    ['kind', 'tenant', 'since'],
  ],
})

/**
 * The entry of one piece of work, for the documents of its stream; it is removed when the work ends. `since`: when it
 * was requested, or from when on it may be claimed if that is later, ISO 8601 UTC.
 */
export function openWorkPut(
  { kind, tenant, id, since }: { kind: string; tenant: string; id: string | number; since: string },
  work: AnyWork | null,
  source: Source,
): DocumentPut {
  const at = Date.parse(since)
  const entry: OpenEntry | null =
    work !== null && isOpen(work)
      ? {
          ...{ kind, tenant, id: String(id), since: at, state: work.status },
          claimableAt: work.status === 'waiting' ? at : Date.parse(work.claim.until),
        }
      : null
  return documentPut(openWork, openTenant, `${kind}/${tenant}/${id}`, entry, source)
}

/**
 * Open work of one kind; work that has been claimable longest comes first. `until`: only work claimable at this time
 * (epoch milliseconds).
 */
export async function* openWorkOf(
  documents: Pick<Documents, 'find'>,
  kind: string,
  until?: number,
): AsyncGenerator<OpenEntry> {
  const where = [{ field: 'kind', is: kind }, ...(until === undefined ? [] : [{ field: 'claimableAt', to: until }])]
  const sort = [{ field: 'claimableAt', direction: 'asc' as const }]
  for (let page = 0; ; page++) {
    const found = await documents.find(openWork, openTenant, { where, sort, page, size: pageSize })
    yield* found.documents
    if (found.documents.length < pageSize) return
  }
}

/** The number of open pieces of work of a kind and tenant. */
export async function countOpenWorkOf(documents: Pick<Documents, 'find'>, kind: string, tenant: string) {
  const where = [
    { field: 'kind', is: kind },
    { field: 'tenant', is: tenant },
  ]
  return (await documents.find(openWork, openTenant, { where, size: 0 })).count
}

/**
 * How many pieces of work of a kind wait and run, and since when the oldest of them waits. Work that may begin only
 * after `now` does not count. Times are epoch milliseconds.
 */
export async function countOpenWork(documents: Pick<Documents, 'find'>, kind: string, now: number) {
  const find = (state: OpenEntry['state'], size: number) =>
    documents.find(openWork, openTenant, {
      where: [
        { field: 'kind', is: kind },
        { field: 'state', is: state },
        ...(state === 'waiting' ? [{ field: 'since', to: now }] : []),
      ],
      sort: [{ field: 'since', direction: 'asc' }],
      size,
    })
  const [waiting, running] = await Promise.all([find('waiting', 1), find('running', 0)])
  return { waiting: waiting.count, running: running.count, oldestWaitingAt: waiting.documents[0]?.since }
}
