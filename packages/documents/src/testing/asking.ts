import { isAssayError } from '@assay/service-kit/errors'
import { expect } from 'vitest'
import type { Condition, Documents, Query } from '../port.ts'
import { things } from './collections.ts'

/** A separate store for one test, in which `testCollections` are declared. */
export interface DocumentsUnderTest {
  documents: Documents
  /** Another store on the same data, as another process would open it. */
  reopen(): Promise<Documents>
  /** Removes everything. */
  end(): Promise<void>
}

export const invalid = expect.toSatisfy((error: unknown) => isAssayError(error, 'invalid'), 'invalid')
export const internal = expect.toSatisfy((error: unknown) => isAssayError(error, 'internal'), 'internal')

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const seen: T[] = []
  for await (const item of items) seen.push(item)
  return seen
}

/** Finds things in a store and returns their names. */
export const namesIn =
  (documents: () => Documents) =>
  async (where: readonly Condition[], rest: Partial<Query> = {}, tenant = 't'): Promise<string[]> => {
    const found = await documents().find(things, tenant, { where, size: 1000, ...rest })
    return found.documents.map(({ name }) => name)
  }
