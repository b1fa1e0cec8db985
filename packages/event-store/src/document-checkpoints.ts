import { type Collection, type Condition, type Documents, defineCollection, documentPut } from '@assay/documents'
import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'
import type { Checkpoints, ParkedStream } from './checkpoints.ts'
import { comparePositions, type Position } from './port.ts'

/** Checkpoints belong to the installation, like leases. */
const tenant = 'system'
/** Maximum rounds of concurrent writers of one document, far more than there are writers. */
const maxRounds = 20

/** No position: begun, and nothing handled yet. */
interface CheckpointDocument {
  position?: Position | undefined
  fence: number
  /** Set until the processor begins again: a running one must not bring its position back. */
  isRestarted?: boolean | undefined
}

const checkpointDocuments = defineCollection<CheckpointDocument>({
  name: 'checkpoints',
  version: 1,
  idType: 'text',
  schema: z.object({ position: z.string().optional(), fence: z.number(), isRestarted: z.boolean().optional() }),
  fields: {},
})

interface ParkedDocument extends Omit<ParkedStream, 'isAsked'> {
  name: string
  isParked: boolean
  isAsked: boolean
  fence: number
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
    isAsked: z.boolean(),
    fence: z.number(),
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
export function createDocumentCheckpoints(documents: Pick<Documents, 'get' | 'put' | 'find'>): Checkpoints {
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
      for (const { isParked: _, isAsked, ...parked } of found.documents)
        all.push({ ...parked, ...(isAsked ? { isAsked } : {}) })
      if (found.documents.length < 1000) return all
    }
  }

  return {
    async get(name) {
      return (await documents.get(checkpointDocuments, tenant, name))?.document.position
    },
    async begin(name, fence) {
      let position: Position | undefined
      await settle(checkpointDocuments, name, (known) => {
        if (known !== undefined && known.fence > fence)
          throw new AssayError(
            'unavailable',
            `The checkpoint of ${name} has fence ${known.fence}, above ${fence} of the lease: another process runs it by now. If none does, the documents are newer than the log: see "Backup and restore" in docs/operations.md.`,
          )
        position = known?.position
        const isBegun = known?.fence === fence && !known.isRestarted
        return isBegun ? undefined : { document: { position, fence }, position: position ?? '' }
      })
      return position
    },
    set: (name, position, fence) =>
      settle(checkpointDocuments, name, (known) =>
        known !== undefined &&
        (known.isRestarted ||
          known.fence > fence ||
          (known.position !== undefined && comparePositions(known.position, position) >= 0))
          ? undefined
          : { document: { position, fence }, position },
      ),
    async restart(name) {
      let hadPosition = false
      await settle(checkpointDocuments, name, (known) => {
        if (known?.position === undefined) return undefined
        hadPosition = true
        return { document: { fence: known.fence, isRestarted: true }, position: '' }
      })
      return hadPosition
    },
    async parked(name) {
      return (await parkedWhere([{ field: 'name', is: name }])).map(({ name: _, ...parked }) => parked)
    },
    parkedByAll: () => parkedWhere([]),
    park: (name, { isAsked: _, ...parked }, fence) =>
      settleParked(name, parked.stream, (known) => {
        if (known !== undefined && known.fence > fence) return undefined
        const isKnown = known?.isParked === true && known.fromRevision <= parked.fromRevision
        if (isKnown) return known.fence === fence ? undefined : { ...known, fence }
        return { ...parked, reason: parked.reason.toWellFormed(), name, isParked: true, isAsked: false, fence }
      }),
    async unpark(name, stream, fence) {
      let isDone = false
      await settleParked(name, stream, (known) => {
        const isOwn = known !== undefined && known.fence <= fence
        isDone = isOwn && !known.isParked
        return isOwn && known.isParked ? { ...known, isParked: false, isAsked: false } : undefined
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
        const isNoted = known?.isAsked === false && known.reason === failed.reason
        return known?.isParked && !isNoted ? { ...known, ...failed } : undefined
      }),
  }
}
