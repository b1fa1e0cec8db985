import type { TagDetail } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { TagDocument } from '../tag/aggregate.ts'
import { type TagKeyDocument, tagKeys } from '../tag-key/aggregate.ts'
import { tagDetail } from './tag-records.ts'

/** The keys of tags, by their ids. */
export async function keysOf(
  documents: Documents,
  tenant: string,
  found: readonly TagDocument[],
): Promise<Map<number, TagKeyDocument>> {
  const ids = [...new Set(found.flatMap(({ keyId }) => keyId ?? []))]
  if (ids.length === 0) return new Map()
  const page = await documents.find(tagKeys, tenant, { where: [{ field: 'id', in: ids }], size: ids.length })
  return new Map(page.documents.map((key) => [key.id, key]))
}

/** Tags as pairs of key and value, in the order given. */
export async function detailsOf(
  documents: Documents,
  tenant: string,
  found: readonly TagDocument[],
): Promise<TagDetail[]> {
  const keys = await keysOf(documents, tenant, found)
  return found.map((tag) => tagDetail(tag, keys.get(tag.keyId ?? 0)))
}
