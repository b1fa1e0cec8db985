import { setImmediate } from 'node:timers/promises'

/** Reading documents with more values blocks other requests for more than about ten milliseconds. */
const valuesAtOnce = 2000
/** Size of the first part, before the size of the documents is known. */
export const firstSize = 2

export interface PartReading<T> {
  /** Maximum number of documents of a part. */
  atOnce: number
  /** The next documents, at most `size` of them. `isEnd`: no others follow. */
  read(size: number): Promise<{ documents: readonly T[]; isEnd: boolean }>
  /** Number of values in a document. */
  valuesIn(one: T): number
}

/** The size of the part after `documents`: the larger they are, the smaller. */
export function nextSize<T>(
  documents: readonly T[],
  { atOnce, valuesIn }: Pick<PartReading<T>, 'atOnce' | 'valuesIn'>,
) {
  const largest = documents.reduce((most, one) => Math.max(most, valuesIn(one)), 1)
  return Math.max(1, Math.min(atOnce, Math.floor(valuesAtOnce / largest)))
}

/** Reads documents in parts: the larger they are, the fewer in each part. Other work gets its turn after each part. */
export async function* inParts<T>({ atOnce, read, valuesIn }: PartReading<T>): AsyncGenerator<readonly T[]> {
  let size = Math.min(firstSize, atOnce)
  for (;;) {
    const { documents, isEnd } = await read(size)
    yield documents
    if (isEnd) return
    size = nextSize(documents, { atOnce, valuesIn })
    await setImmediate()
  }
}
