import { type Documents, defineCollection, documentPut } from '@assay/documents'
import { type Clock, type Identity, type Logger, messageOf, parametersOf, type Timers } from '@assay/service-kit'
import { z } from 'zod'
import { systemTenant } from '../dependencies.ts'
import { hashOf } from '../keys/key-text.ts'
import { withinPatience } from './within-patience.ts'

/** As long as a service remembers the first page that it has answered itself. */
const keptMs = 600_000
/** Documents of one key: more listings than a caller turns the pages of at once. */
const slots = 64

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
  listing: string
  isFirst: boolean
}

/** The page that is asked for; `undefined` where its moment is named in the query, or where the query has no place. */
export function askedPage(identity: Identity, path: string, query: string): AskedPage | undefined {
  const { page, first, asOf, ...rest } = parametersOf(query)
  if (asOf !== undefined) return undefined
  const place = Number(page ?? first ?? 0)
  if (!Number.isInteger(place) || place < 0) return undefined
  const { tenant, accessKey } = identity
  const entries = Object.entries(rest).sort(([left], [right]) => (left < right ? -1 : 1))
  return { accessKey, listing: hashOf(JSON.stringify([tenant, accessKey, path, entries])), isFirst: place === 0 }
}

/**
 * Of which moment first pages were, told by each gateway to all others: whichever gateway, and whichever replica of the
 * service behind it, answers a later page, the page is of that moment.
 */
export interface SharedMarks {
  /** Resolves once every gateway can see it, or after two seconds. Never rejects: the page is good without. */
  remember(page: AskedPage, mark: string): Promise<void>
  /** `undefined` where no first page was read lately, or the store does not answer. */
  of(page: AskedPage): Promise<string | undefined>
}

export function createSharedMarks(deps: {
  documents: Pick<Documents, 'get' | 'put'>
  clock: Clock
  timers: Pick<Timers, 'sleep'>
  logger: Logger
}): SharedMarks {
  const { documents, clock, timers, logger } = deps
  const idOf = ({ accessKey, listing }: AskedPage) =>
    `${hashOf(accessKey)}/${Number.parseInt(listing.slice(0, 4), 16) % slots}`
  const onError = (error: unknown) => {
    logger.warn({ error: messageOf(error) }, 'the moment of a first page could not be shared with other gateways')
    return undefined
  }

  async function look(page: AskedPage): Promise<string | undefined> {
    const found = (await documents.get(pageMarks, systemTenant, idOf(page)))?.document
    const isOfIt = found?.listing === page.listing && found.at > clock.now() - keptMs
    return isOfIt ? found.mark : undefined
  }

  return {
    async remember(page, mark) {
      const at = clock.now()
      const document = { listing: page.listing, mark, at }
      // The later of two in one place stays.
      const put = documentPut(pageMarks, systemTenant, idOf(page), document, { revision: at, position: '' })
      await withinPatience(timers, documents.put([put]).catch(onError))
    },
    of: (page) => withinPatience(timers, look(page).catch(onError)),
  }
}
