import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { FilesLocator } from '../../../locators.ts'
import type { FoundFile } from './tree.ts'

/** Findings of the crawl besides the columns, so that a run need not determine them again. */
const learnt = z.object({
  /** A hash of names, sizes and change times. */
  files: z.string(),
  /** Whether the pattern is a glob, so that more files may belong to it later. */
  set: z.boolean().optional(),
  include: z.array(z.string()).optional(),
  exclude: z.array(z.string()).optional(),
  csv: z
    .object({
      delimiter: z.string(),
      quote: z.string(),
      header: z.boolean(),
      names: z.array(z.string()),
      longest: z.number(),
    })
    .optional(),
  /** Whether the engine failed to read CSV that seemed strict, so that it is read through a copy. */
  copy: z.boolean().optional(),
  /** Columns whose text has a format that the options state. */
  forms: z.record(z.string(), z.enum(['number', 'date', 'timestamp'])).optional(),
  /** `largest`: bytes of the largest JSON value that the engine must be able to read. */
  json: z.object({ mode: z.enum(['records', 'keys', 'values']), largest: z.number() }).optional(),
})
export type Learnt = z.infer<typeof learnt>

/** A hash of names, sizes and change times of files. */
export function hashOfFiles(files: readonly FoundFile[]): string {
  const hash = createHash('sha256')
  for (const { relative, size, mtimeMs } of files) hash.update(`${relative}\n${size}\n${mtimeMs}\n`)
  return hash.digest('hex').slice(0, 32)
}

/** Equal if the same files are read in the same way. */
export function stateOfFiles(locator: FilesLocator, files: readonly FoundFile[]): string {
  return createHash('sha256').update(JSON.stringify(locator)).update(hashOfFiles(files)).digest('hex').slice(0, 32)
}

export function fingerprintOf(known: Learnt): string {
  return JSON.stringify(known)
}

/** Parses a fingerprint; null for one of another version. */
export function learntFrom(fingerprint: string): Learnt | null {
  try {
    return learnt.safeParse(JSON.parse(fingerprint)).data ?? null
  } catch {
    return null
  }
}
