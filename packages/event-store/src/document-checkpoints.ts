import { type Collection, type Condition, type Documents, defineCollection, documentPut } from '@assay/documents'
import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'
import type { Checkpoints, ParkedStream } from './checkpoints.ts'
import { comparePositions, type Position } from './port.ts'

/** Checkpoints belong to the installation, like leases. */
const tenant = 'system'
/**
 * Maximum number of attempts to write a document that others write concurrently. It is far above the number of writers.
 */
const maxRounds = 20

/** If `position` is absent, the processor has begun and has handled nothing yet. */
interface CheckpointDocument {
  position?: Position | undefined
  fence: number
  /**
   * Set by a restart, until the processor begins again: a processor that still runs cannot write its old position back.
   */
  isRestarted?: boolean | undefined
}

const checkpointDocuments = defineCollection<CheckpointDocument>({
  name: 'checkpoints',
  version: 1,
  idType: 'text',
  schema: z.object({ position: z.string().optional(), fence: z.number(), isRestarted: z.boolean().optional() }),
  fields: {},
})

interface ParkedDocument extends Omit<ParkedStream, 'isRetryRequested'> {
  name: string
  isParked: boolean
  isRetryRequested: boolean
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
    isRetryRequested: z.boolean(),
    fence: z.number(),
  }),
  fields: {
    name: { type: 'text', of: ({ name }) => name },
    isParked: { type: 'boolean', of: ({ isParked }) => isParked },
    parkedAt: { type: 'text', of: ({ parkedAt }) => parkedAt },
  },
})

/** The collections of checkpoints, for the documents adapter. No rebuild fills them: they do not derive from events. */
export const checkpointCollections = [checkpointDocuments, parkedDocuments] as const

/**
 * Checkpoints for replicas that share only documents. A position never decreases: if two processes write concurrently
 * because one has lost its lease without noticing, the later position stays.
 */
export function createDocumentCheckpoints(documents: Pick<Documents, 'get' | 'put' | 'find'>): Checkpoints {
  /**
   * Changes a document depending on its content. If another writer was first, the put has no effect. So this reads the
   * document back and retries until `change` returns `undefined`.
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
    throw new AssayError(
      'unavailable',
      `Other processes constantly change ${collection.name} ${id}. The write is retried.`,
    )
  }

  const parkedId = (name: string, stream: string) => `${name} ${stream}`

  /** `change` returns `undefined` if there is nothing left to change. */
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
      for (const { isParked: _, isRetryRequested, ...parked } of found.documents)
        all.push({ ...parked, ...(isRetryRequested ? { isRetryRequested } : {}) })
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
            `The checkpoint of ${name} has fence ${known.fence}, above ${fence} of the lease: another process runs it now. If none does, the documents are newer than the log: see "Backup and restore" in docs/operations.md.`,
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
    park: (name, { isRetryRequested: _, ...parked }, fence) =>
      settleParked(name, parked.stream, (known) => {
        if (known !== undefined && known.fence > fence) return undefined
        const isKnown = known?.isParked === true && known.fromRevision <= parked.fromRevision
        if (isKnown) return known.fence === fence ? undefined : { ...known, fence }
        return { ...parked, reason: parked.reason.toWellFormed(), name, isParked: true, isRetryRequested: false, fence }
      }),
    async unpark(name, stream, fence) {
      let isDone = false
      await settleParked(name, stream, (known) => {
        const isOwn = known !== undefined && known.fence <= fence
        isDone = isOwn && !known.isParked
        return isOwn && known.isParked ? { ...known, isParked: false, isRetryRequested: false } : undefined
      })
      return isDone
    },
    async requestRetry(name, stream) {
      let isDone = false
      await settleParked(name, stream, (known) => {
        isDone = known?.isRetryRequested === true && known.isParked
        return known?.isParked && !isDone ? { ...known, isRetryRequested: true } : undefined
      })
      return isDone
    },
    recordFailedRetry: (name, stream, reason) =>
      settleParked(name, stream, (known) => {
        const failed = { isRetryRequested: false, reason: reason.toWellFormed() }
        const isNoted = known?.isRetryRequested === false && known.reason === failed.reason
        return known?.isParked && !isNoted ? { ...known, ...failed } : undefined
      }),
  }
}
