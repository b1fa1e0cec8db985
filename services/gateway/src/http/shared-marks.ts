import { type Documents, defineCollection, documentPut } from '@assay/documents'
import { type Clock, type Identity, parametersOf } from '@assay/service-kit'
import { z } from 'zod'
import { systemTenant } from '../dependencies.ts'
import { hashOf } from '../keys/key-text.ts'
import { createRecentlyUsed } from '../recently-used.ts'
import type { OtherGateways } from './other-gateways.ts'
import type { Patience } from './patience.ts'

/** As long as a service remembers the first page that it has answered itself. */
const keptMs = 600_000
/** Documents of one key: more listings than a caller turns the pages of at once. */
const slots = 64
/** Listings whose first pages this gateway remembers itself. */
const capacity = 10_000

interface Known {
  mark: string | undefined
  at: number
}

const kept = z.object({ listing: z.string(), mark: z.string(), at: z.int() })

/** Of which moment the first pages were that keys read lately. Made of answers, not of events: a rebuild leaves it as it is. */
export const pageMarks = defineCollection<z.infer<typeof kept>>({
  name: 'api_key_pages',
  version: 1,
  idType: 'text',
  schema: kept,
  fields: {},
})

/** A page of a listing that is asked for. */
export interface AskedPage {
  accessKey: string
  /** The caller, the path and the query but for the page. */
  readonly listing: string
  isFirst: boolean
}

/** The page that is asked for; `undefined` where its moment is named in the query, or where the query has no place. */
export function askedPage(identity: Identity, path: string, query: string): AskedPage | undefined {
  const { page, first, asOf, ...rest } = parametersOf(query)
  if (asOf !== undefined) return undefined
  const place = Number(page ?? first ?? 0)
  if (!Number.isInteger(place) || place < 0) return undefined
  const { tenant, accessKey } = identity
  return {
    accessKey,
    isFirst: place === 0,
    // Most of what is read is no page, or the only one: nobody asks which listing it is of.
    get listing() {
      const entries = Object.entries(rest).sort(([left], [right]) => (left < right ? -1 : 1))
      return hashOf(JSON.stringify([tenant, accessKey, path, entries]))
    },
  }
}

/**
 * Of which moment first pages were, told by each gateway to all others: whichever gateway, and whichever replica of the
 * service behind it, answers a later page, the page is of that moment.
 */
export interface SharedMarks {
  /**
   * Resolves once every gateway can see it, or after two seconds; at once where there is no other. Never rejects: the page is
   * good without.
   */
  remember(page: AskedPage, mark: string): Promise<void>
  /** `undefined` where no first page was read lately, or the store does not answer. */
  of(page: AskedPage): Promise<string | undefined>
}

export function createSharedMarks(deps: {
  documents: Pick<Documents, 'get' | 'put'>
  others: Pick<OtherGateways, 'isAlone'>
  patience: Patience
  clock: Clock
}): SharedMarks {
  const { documents, others, patience, clock } = deps
  /** What stands in the store, for as long as this gateway alone writes there: by the listing. */
  let own = createRecentlyUsed<Known>(capacity)
  const idOf = ({ accessKey, listing }: AskedPage) =>
    `${hashOf(accessKey)}/${Number.parseInt(listing.slice(0, 4), 16) % slots}`

  function isAlone(): boolean {
    if (others.isAlone()) return true
    if (own.size > 0) own = createRecentlyUsed<Known>(capacity)
    return false
  }

  async function look(page: AskedPage): Promise<Known> {
    const found = (await documents.get(pageMarks, systemTenant, idOf(page)))?.document
    return found?.listing === page.listing ? found : { mark: undefined, at: clock.now() }
  }

  const markOf = ({ mark, at }: Known) => (at > clock.now() - keptMs ? mark : undefined)

  return {
    async remember(page, mark) {
      const at = clock.now()
      const document = { listing: page.listing, mark, at }
      // The later of two in one place stays.
      const put = documentPut(pageMarks, systemTenant, idOf(page), document, { revision: at, position: '' })
      const telling = patience.within(() => documents.put([put]))
      // For those that start later nobody has to wait.
      if (isAlone()) own.set(page.listing, { mark, at })
      else await telling
    },
    async of(page) {
      const known = isAlone() ? own.get(page.listing) : undefined
      if (known !== undefined) return markOf(known)
      const found = await patience.within(() => look(page))
      if (found === undefined) return undefined
      if (isAlone() && own.get(page.listing) === undefined) own.set(page.listing, found)
      return markOf(found)
    },
  }
}
