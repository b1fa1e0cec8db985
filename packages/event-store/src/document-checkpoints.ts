import { type Collection, type Documents, defineCollection, documentPut } from '@assay/documents'
import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'
import type { Checkpoints, ParkedStream } from './checkpoints.ts'
import { comparePositions, type Position } from './port.ts'

/** Checkpoints belong to the installation, as leases do. */
const tenant = 'system'
/** Rounds of two that write one document at once. Far more than there are ever writers. */
const maxRounds = 20

const checkpointDocuments = defineCollection<{ position: Position }>({
  name: 'checkpoints',
  version: 1,
  idType: 'text',
  schema: z.object({ position: z.string() }),
  fields: {},
})

/** A stream that was set going again stays as a mark: a document that is removed could not be put again. */
const parkedDocuments = defineCollection<ParkedStream & { name: string; isParked: boolean }>({
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
  }),
  fields: {
    name: { type: 'text', of: ({ name }) => name },
    isParked: { type: 'boolean', of: ({ isParked }) => isParked },
    parkedAt: { type: 'text', of: ({ parkedAt }) => parkedAt },
  },
})

/** For the documents adapter that is to hold the checkpoints. No rebuild fills them: they are not made of events. */
export const checkpointCollections = [checkpointDocuments, parkedDocuments] as const

/**
 * Checkpoints where documents are all that replicas share. A position never goes back: of two writers at once, the
 * holder of a lease and one that has lost it without knowing, the later position stays.
 */
export function createDocumentCheckpoints(documents: Pick<Documents, 'get' | 'put' | 'find'>): Checkpoints {
  /**
   * Changes a document by what stands there. A put at a revision that another took first changes nothing, so it is read
   * back, and done again until `change` has nothing more to say.
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
      const where = [
        { field: 'name', is: name },
        { field: 'isParked', is: true },
      ]
      const sort = [{ field: 'parkedAt', direction: 'asc' as const }]
      const all: ParkedStream[] = []
      for (let page = 0; ; page++) {
        const found = await documents.find(parkedDocuments, tenant, { where, sort, page, size: 1000 })
        all.push(
          ...found.documents.map(({ stream, fromRevision, reason, parkedAt }) => ({
            stream,
            fromRevision,
            reason,
            parkedAt,
          })),
        )
        if (found.documents.length < 1000) return all
      }
    },
    park: (name, parked) =>
      settle(parkedDocuments, parkedId(name, parked.stream), (known) =>
        known?.isParked && known.fromRevision <= parked.fromRevision
          ? undefined
          : {
              document: { ...parked, reason: parked.reason.toWellFormed(), name, isParked: true },
              position: '',
            },
      ),
    unpark: (name, stream) =>
      settle(parkedDocuments, parkedId(name, stream), (known) =>
        known?.isParked ? { document: { ...known, isParked: false }, position: '' } : undefined,
      ),
  }
}
