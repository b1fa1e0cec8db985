import { type Collection, type Condition, type Documents, defineCollection, documentPut } from '@assay/documents'
import type { NewId } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'
import type { Checkpoints, ParkedStream, Term } from './checkpoints.ts'
import { comparePositions, type Position } from './port.ts'

/** Checkpoints belong to the installation, like leases. */
const tenant = 'system'
/** Maximum rounds of concurrent writers of one document, far more than there are writers. */
const maxRounds = 20

const checkpointDocuments = defineCollection<{ position: Position }>({
  name: 'checkpoints',
  version: 1,
  idType: 'text',
  schema: z.object({ position: z.string() }),
  fields: {},
})

/** The last two fields are optional because they were added later: a new version of the collection would be empty. */
interface ParkedDocument extends Omit<ParkedStream, 'isAsked'> {
  name: string
  isParked: boolean
  isAsked?: boolean | undefined
  term?: Term | undefined
}

/** A resumed stream stays as a tombstone, because a removed document could not be put again. */
const parkedDocuments = defineCollection<ParkedDocument>({
  name: 'parked_streams',
  version: 1,
  idType: 'text',
  schema: z.object({
    name: z.string(),
    stream: z.string(),
    fromRevision: z.number(),
    reason: z.string(),
    parkedAt: z.string(),
    isParked: z.boolean(),
    isAsked: z.boolean().optional(),
    term: z.string().optional(),
  }),
  fields: {
    name: { type: 'text', of: ({ name }) => name },
    isParked: { type: 'boolean', of: ({ isParked }) => isParked },
    parkedAt: { type: 'text', of: ({ parkedAt }) => parkedAt },
  },
})

/** For the documents adapter that holds the checkpoints. No rebuild fills them: they do not derive from events. */
export const checkpointCollections = [checkpointDocuments, parkedDocuments] as const

/**
 * Checkpoints for replicas that share only documents. A position never decreases: if a lease holder and one that has
 * lost the lease without noticing write at once, the later position stays.
 */
export function createDocumentCheckpoints(
  documents: Pick<Documents, 'get' | 'put' | 'find'>,
  newId: NewId,
): Checkpoints {
  /**
   * Changes a document depending on its content. A put at a revision that another writer took first has no effect, so
   * it reads back and retries until `change` answers `undefined`.
   */
  async function settle<T>(
    collection: Collection<T>,
    id: string,
    change: (known: T | undefined) => { document: T; position: Position } | undefined,
  ): Promise<void> {
    for (let round = 0; round < maxRounds; round++) {
      const stored = await documents.get(collection, tenant, id)
      const wanted = change(stored?.document)
      if (wanted === undefined) return
      const source = { revision: (stored?.source.revision ?? -1) + 1, position: wanted.position }
      await documents.put([documentPut(collection, tenant, id, wanted.document, source)])
    }
    throw new AssayError('unavailable', `Others write ${collection.name} ${id} all the time. It is tried again.`)
  }

  const parkedId = (name: string, stream: string) => `${name} ${stream}`

  /** `change` answers `undefined` if there is nothing (more) to change. */
  const settleParked = (
    name: string,
    stream: string,
    change: (known: ParkedDocument | undefined) => ParkedDocument | undefined,
  ): Promise<void> =>
    settle(parkedDocuments, parkedId(name, stream), (known) => {
      const document = change(known)
      return document && { document, position: '' }
    })

  async function parkedWhere(where: readonly Condition[]): Promise<(ParkedStream & { name: string })[]> {
    const sort = [{ field: 'parkedAt', direction: 'asc' as const }]
    const all: (ParkedStream & { name: string })[] = []
    for (let page = 0; ; page++) {
      const found = await documents.find(parkedDocuments, tenant, {
        where: [...where, { field: 'isParked', is: true }],
        sort,
        page,
        size: 1000,
      })
      for (const { name, stream, fromRevision, reason, parkedAt, isAsked } of found.documents)
        all.push({ name, stream, fromRevision, reason, parkedAt, ...(isAsked ? { isAsked } : {}) })
      if (found.documents.length < 1000) return all
    }
  }

  return {
    async get(name) {
      return (await documents.get(checkpointDocuments, tenant, name))?.document.position
    },
    set: (name, position) =>
      settle(checkpointDocuments, name, (known) =>
        known !== undefined && comparePositions(known.position, position) >= 0
          ? undefined
          : { document: { position }, position },
      ),
    async parked(name) {
      return (await parkedWhere([{ field: 'name', is: name }])).map(({ name: _, ...parked }) => parked)
    },
    parkedByAll: () => parkedWhere([]),
    async park(name, { isAsked: _, ...parked }) {
      const term = newId()
      await settleParked(name, parked.stream, (known) => {
        if (known?.term === term) return undefined
        if (known?.isParked && known.fromRevision <= parked.fromRevision) return { ...known, term }
        return { ...parked, reason: parked.reason.toWellFormed(), name, isParked: true, term }
      })
      return term
    },
    async takeOver(name, stream) {
      const term = newId()
      let isTaken = false
      await settleParked(name, stream, (known) => {
        isTaken = known?.isParked === true && known.term === term
        return known?.isParked && !isTaken ? { ...known, term } : undefined
      })
      return isTaken ? term : undefined
    },
    async unpark(name, stream, term) {
      let isDone = false
      await settleParked(name, stream, (known) => {
        isDone = known?.term === term && !known.isParked
        return known?.term === term && known.isParked ? { ...known, isParked: false, isAsked: false } : undefined
      })
      return isDone
    },
    async ask(name, stream) {
      let isDone = false
      await settleParked(name, stream, (known) => {
        isDone = known?.isAsked === true && known.isParked
        return known?.isParked && !isDone ? { ...known, isAsked: true } : undefined
      })
      return isDone
    },
    failAgain: (name, stream, reason) =>
      settleParked(name, stream, (known) => {
        const failed = { isAsked: false, reason: reason.toWellFormed() }
        const isNoted = known?.isAsked !== true && known?.reason === failed.reason
        return known?.isParked && !isNoted ? { ...known, ...failed } : undefined
      }),
  }
}
