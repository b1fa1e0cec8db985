import { z } from 'zod'
import {
  type Collection,
  type DocumentId,
  type DocumentPut,
  type Documents,
  defineCollection,
  documentPut,
} from '../port.ts'

const Thing = z.object({
  name: z.string(),
  title: z.string().nullable().optional(),
  size: z.number().int().nullable(),
  score: z.number().nullable(),
  open: z.boolean(),
})

export type Thing = z.infer<typeof Thing>

/** Documents with a field of each type, and a nullable field of each type that can be null. */
export const things: Collection<Thing> = defineCollection<Thing>({
  name: 'things',
  version: 1,
  idType: 'integer',
  schema: Thing,
  fields: {
    name: { type: 'text', of: (thing) => thing.name, required: true },
    title: { type: 'text', of: (thing) => thing.title ?? null },
    size: { type: 'integer', of: (thing) => thing.size },
    score: { type: 'number', of: (thing) => thing.score },
    open: { type: 'boolean', of: (thing) => thing.open },
  },
  listings: [['open', 'size', 'name']],
})

const Note = z.object({ text: z.string(), tags: z.record(z.string(), z.string()).optional() })

export type Note = z.infer<typeof Note>

/** Documents whose ids are text. */
export const notes: Collection<Note> = defineCollection<Note>({
  name: 'text_notes',
  version: 1,
  idType: 'text',
  schema: Note,
  fields: { text: { type: 'text', of: (note) => note.text } },
})

/** Documents without a field, which are only read by id. */
export const bareNotes: Collection<Note> = defineCollection<Note>({
  name: 'bare_notes',
  version: 1,
  idType: 'integer',
  schema: Note,
  fields: {},
})

const Entry = z.object({
  name: z.string(),
  path: z.string(),
  parentId: z.number().nullable(),
  kind: z.number(),
  score: z.number(),
  isGone: z.boolean(),
})
export type Entry = z.infer<typeof Entry>

/** Documents that are searched by name. */
export const entries: Collection<Entry> = defineCollection<Entry>({
  name: 'entries',
  version: 1,
  idType: 'integer',
  schema: Entry,
  fields: {
    name: { type: 'text', of: (entry) => entry.name },
    path: { type: 'text', of: (entry) => entry.path },
    parentId: { type: 'integer', of: (entry) => entry.parentId },
    kind: { type: 'integer', of: (entry) => entry.kind },
    score: { type: 'integer', of: (entry) => entry.score },
    isGone: { type: 'boolean', of: (entry) => entry.isGone },
  },
  search: { name: 'name', path: 'path', parent: 'parentId', score: 'score', included: ['isGone', 'kind'] },
})

export function entryPut(
  tenant: string,
  id: number,
  name: string,
  some: Partial<Entry> = {},
  revision = 0,
): DocumentPut {
  const document = { name, path: name, parentId: null, kind: 1, score: 0, isGone: false, ...some }
  return documentPut(entries, tenant, id, document, { revision, position: String(revision + 1) })
}

export const testCollections = [things, notes, bareNotes, entries] as const

export function thing(some: Partial<Thing> = {}): Thing {
  return { name: 'a', title: null, size: null, score: null, open: false, ...some }
}

export function thingPut(tenant: string, id: number, some: Partial<Thing> = {}, revision = 0): DocumentPut {
  return documentPut(things, tenant, id, thing(some), { revision, position: String(revision + 1) })
}

export function notePut(tenant: string, id: string, text: string, revision = 0): DocumentPut {
  return documentPut(notes, tenant, id, { text }, { revision, position: String(revision + 1) })
}

/** Texts that are special to SQL, LIKE, regular expressions, JSON or MongoDB, or are hard to compare. */
export const awkwardTexts: readonly string[] = [
  "'; DROP TABLE doc_things; --",
  "' OR '1'='1",
  '" OR ""="',
  '%',
  '_',
  '100%',
  'a_b',
  '\\',
  '\\%',
  'a\\',
  '[a-z]',
  '*',
  '?',
  '.*',
  '^a$',
  '(',
  '$where',
  '$ne',
  '{"$gt": ""}',
  'name.title',
  '__proto__',
  '?1',
  ':name',
  '@name',
  '; select 1',
  '/* c */',
  'tab\there',
  'line\nbreak',
  'null',
  'true',
  '5',
  ' ',
  ' padded ',
  'Ärger',
  'straße',
  '日本語',
  '😀 smile',
  'e\u0301',
  '\u202eabc',
]

/** The JSON of a stored document. */
export async function storedText<T>(
  documents: Pick<Documents, 'getJsonWithRelated'>,
  collection: Collection<T>,
  tenant: string,
  id: DocumentId,
): Promise<string | undefined> {
  return (await documents.getJsonWithRelated(collection, tenant, id, []))?.text
}
