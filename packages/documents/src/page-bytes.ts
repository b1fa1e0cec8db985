import { AssayError } from '@assay/service-kit/errors'

/** Documents of one page of a listing, in bytes of their texts. */
export const maxPageBytes = 4 * 1024 * 1024

export interface CutTexts {
  texts: string[]
  /** There are more than these. */
  isCut: boolean
}

/** The first texts that `maxBytes` hold together, at least one of them; all where there is no limit. */
export function cutAt(maxBytes: number | undefined, given: Iterable<string>): CutTexts {
  if (maxBytes === undefined) return { texts: [...given], isCut: false }
  const texts: string[] = []
  let bytes = 0
  for (const text of given) {
    bytes += Buffer.byteLength(text)
    if (bytes > maxBytes && texts.length > 0) return { texts, isCut: true }
    texts.push(text)
  }
  return { texts, isCut: false }
}

/** The texts of a whole page. Throws `invalid` where the limit has cut it, and says which size fits. */
export function wholePage({ texts, isCut }: CutTexts): string[] {
  if (isCut)
    throw new AssayError('invalid', `The page is too large. Ask for fewer rows, for example size=${texts.length}.`)
  return texts
}
