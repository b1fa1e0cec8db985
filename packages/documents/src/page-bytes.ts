import { AssayError } from '@assay/service-kit/errors'

/** Maximum size of a page of a listing, in bytes of the documents' texts. */
export const maxPageBytes = 4 * 1024 * 1024

export interface CutTexts {
  texts: string[]
  /** Texts were left out. */
  isCut: boolean
}

/** The first texts whose total size is within `maxBytes`, at least one; all texts if there is no limit. */
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

/** The texts of a complete page. If the page exceeds the limit, throws `invalid` with a size that fits. */
export function wholePage({ texts, isCut }: CutTexts): string[] {
  if (isCut)
    throw new AssayError('invalid', `The page is too large. Ask for fewer rows, for example size=${texts.length}.`)
  return texts
}
