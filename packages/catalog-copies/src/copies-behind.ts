import type { CollectionShape, DocumentId, Source } from '@assay/documents'
import { type Missing, parseState, type StreamState } from '@assay/event-store'
import type { Copies } from './copies.ts'

/**
 * What services copy, by the category of the copied streams: the topic that feeds the copy, and the place of the copy
 * among the collections of that topic. Each event of such a stream has a message, and the id of the copy is that of the
 * stream. `executedversion` and `assetwatch` are no streams: answers name the copy itself.
 */
const copied: { readonly [category: string]: readonly { topic: keyof Copies; at?: number }[] } = {
  asset: [{ topic: 'tables' }, { topic: 'containers' }],
  assembly: [{ topic: 'assemblies' }],
  assetconfig: [{ topic: 'assetSettings' }],
  assetlabels: [{ topic: 'assetLabels' }],
  assettag: [{ topic: 'tags', at: 1 }],
  assetwatch: [{ topic: 'watches' }],
  executedversion: [{ topic: 'versions' }],
  policy: [{ topic: 'policies' }],
  tag: [{ topic: 'tags' }],
  udftemplate: [{ topic: 'udfTemplates' }],
  udfvariables: [{ topic: 'udfVariables' }],
}

/** Reads the revisions of documents. */
interface Revisions {
  get(collection: CollectionShape, tenant: string, id: DocumentId): Promise<{ source: Source } | undefined>
}

/** `undefined` for an id that no document of the collection can have. */
function documentId(id: string, { idType }: CollectionShape): DocumentId | undefined {
  if (idType === 'text') return /^[\w.-]+$/.test(id) ? id : undefined
  return /^\d{1,15}$/.test(id) ? Number(id) : undefined
}

/** The states that a caller has seen and the local read models lack. */
export function copiesBehind(documents: Revisions, copies: Copies): Missing {
  async function isMissing(tenant: string, { category, id, revision }: StreamState): Promise<boolean> {
    let isCopied = false
    for (const { topic, at = 0 } of Object.hasOwn(copied, category) ? (copied[category] ?? []) : []) {
      const collection = copies[topic]?.collections[at]
      const wanted = collection && documentId(id, collection)
      if (collection === undefined || wanted === undefined) continue
      isCopied = true
      const found = await documents.get(collection, tenant, wanted)
      if (found !== undefined && found.source.revision >= revision) return false
    }
    return isCopied
  }

  return async (tenant, seen) => {
    const checked = await Promise.all(
      seen.map(async (text) => {
        const state = parseState(text)
        return state !== undefined && (await isMissing(tenant, state)) ? [text] : []
      }),
    )
    return checked.flat()
  }
}
