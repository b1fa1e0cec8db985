import { AssayError } from '@assay/service-kit/errors'

/** Maximum size of a page of a listing, in bytes of the documents' texts. */
export const maxPageBytes = 4 * 1024 * 1024

export interface CutTexts {
  texts: string[]
  /** Whether texts were left out. */
  isCut: boolean
}

/** As many of the first texts as fit into `maxBytes` in total, but at least one. All texts if there is no limit. */
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

/** The refusal of a page that is too large. A page of the first `fits` rows would be accepted. */
export class PageTooLarge extends AssayError {
  readonly fits: number

  constructor(fits: number) {
    super('invalid', `The page is too large. Ask for fewer rows, for example size=${fits}.`)
    this.fits = fits
  }
}

/** Returns the texts of a complete page. If the page exceeds the limit, throws `invalid` with a size that fits. */
export function wholePage({ texts, isCut }: CutTexts): string[] {
  if (isCut) throw new PageTooLarge(texts.length)
  return texts
}
