import { type CollectionShape, type DocumentId, defineCollection } from '@assay/documents'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Copies } from './copies.ts'
import { copiesBehind } from './copies-behind.ts'
import { defineTagCollections } from './tags.ts'

const collection = (name: string) =>
  defineCollection({ name, version: 1, idType: 'integer', schema: z.object({}), fields: {} })
const tables = collection('tables')
const containers = collection('containers')
const { tags, associations } = defineTagCollections('some')
const putOf = () => {
  throw new Error('Nothing is put here.')
}
const copies: Copies = {
  tables: { collections: [tables], putOf },
  containers: { collections: [containers], putOf },
  tags: { collections: [tags, associations], putOf },
}

/** Local read models with the revisions of some documents, by collection and id. */
function setUp(stored: Record<string, number>) {
  const asked: string[] = []
  const get = async ({ name }: CollectionShape, tenant: string, id: DocumentId) => {
    asked.push(`${tenant} ${name} ${id}`)
    const revision = stored[`${name} ${id}`]
    return revision === undefined ? undefined : { source: { revision, position: '1' } }
  }
  const missing = copiesBehind({ get }, copies)
  return { asked, missing: (...seen: string[]) => missing('t', seen) }
}

describe('the states that local read models lack', () => {
  it('given copies at, after and before a revision, or none, then those before it and the absent ones are missing', async () => {
    const { missing } = setUp({ 'tables 7': 3, 'tables 8': 4, 'tables 9': 2, 'some_tags 5': 0 })
    const seen = ['asset-7@3', 'asset-8@3', 'asset-9@3', 'asset-10@0', 'tag-5@0', 'tag-6@0']
    expect(await missing(...seen)).toEqual(['asset-9@3', 'asset-10@0', 'tag-6@0'])
  })

  it('given an asset that may be a table or a folder, then either copy serves', async () => {
    const { missing } = setUp({ 'containers 7': 3, 'tables 8': 3, 'containers 9': 2 })
    expect(await missing('asset-7@3', 'asset-8@3', 'asset-9@3')).toEqual(['asset-9@3'])
  })

  it('given the tag of an asset, then its copy has the id of its stream', async () => {
    const { missing, asked } = setUp({ 'some_tag_associations 7.5': 1 })
    expect(await missing('assettag-7.5@1', 'assettag-7.6@0')).toEqual(['assettag-7.6@0'])
    expect(asked).toEqual(['t some_tag_associations 7.5', 't some_tag_associations 7.6'])
  })

  it('given states that the service does not copy, or that a client made up, then they are not missing, and nothing is read', async () => {
    const { missing, asked } = setUp({})
    const hints = ['policy-7@0', 'comment-3@0', 'toString-1@0', 'asset-x@0', 'asset-1e400@0', '0000012', 'tag-1']
    expect([await missing(...hints), asked]).toEqual([[], []])
  })
})
