import type { Artifacts } from '@assay/artifacts'
import { profileOperations, type TableMessage } from '@assay/contracts'
import { datasetLocator, usesRe2 } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import { type Profiled, suggestionId, suggestionsFor } from '@assay/reliability'
import { type Caller, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { assetProfiles } from '../asset-profiles/aggregate.ts'
import { type AskedProfile, type AssetProfile, keptProfiles } from '../asset-profiles/asset-profiles.ts'
import { isOfWholeTable } from './kept-state.ts'
import { parseProfile, shownProfile } from './stored-profile.ts'

type Succeeded = Extract<AssetProfile, { status: 'succeeded' }>

/** Suggests items from the kept profiles of an asset, from what the caller may see of them. */
export function profileSuggestions(deps: {
  documents: Documents
  artifacts: Artifacts
  /** Throws unless the asset is a table that still exists. */
  tableOf(call: Caller, assetId: number): Promise<Pick<TableMessage, 'locator'>>
  hiddenFrom(call: Caller, asked: AskedProfile): Promise<ReadonlySet<number>>
}): Route {
  const { documents, artifacts } = deps

  /** Latest first. */
  async function succeeded(tenant: string, assetId: number): Promise<Succeeded[]> {
    const found = await documents.find(assetProfiles, tenant, {
      where: [{ field: 'assetId', is: assetId }],
      sort: [{ field: 'id', direction: 'desc' }],
      size: keptProfiles,
    })
    return found.documents.filter((profile) => profile.status === 'succeeded')
  }

  return route(profileOperations.listSuggestions, async (call) => {
    const { id } = call.params
    const { locator } = await deps.tableOf(call, id)
    const all = await succeeded(call.identity.tenant, id)
    const latest = all.find(({ asked }) => isOfWholeTable(asked))
    if (latest === undefined)
      throw new AssayError('unprocessable', 'The asset has no profile yet: POST ~/assets/{id}/profile first.')
    const hidden = await deps.hiddenFrom(call, latest.asked)
    const figuresOf = async ({ result }: Succeeded): Promise<Profiled | undefined> => {
      const text = await artifacts.readText(`${result.key}/${result.file}`)
      return text === undefined ? undefined : shownProfile(parseProfile(text), id, hidden)
    }
    const now = await figuresOf(latest)
    if (now === undefined) throw new AssayError('not-found', 'The figures of the latest profile were removed.')
    const earlier: Profiled[] = []
    for (const profile of all) {
      // A view that was redefined since then had other rows.
      if (profile.asked.id >= latest.asked.id || profile.asked.view !== latest.asked.view) continue
      const figures = await figuresOf(profile)
      if (figures !== undefined) earlier.push(figures)
    }
    const dataset = datasetLocator.safeParse(locator).data
    const suggestions = suggestionsFor(now, earlier, { hasRe2: dataset === undefined || usesRe2(dataset) })
    return { body: suggestions.map((one) => ({ id: suggestionId(id, one), ...one })) }
  })
}
