import {
  type acceptSuggestions,
  type BodyOf,
  type PolicyCreation,
  policyKinds,
  type TableMessage,
} from '@assay/contracts'
import type { ReadYourWrites } from '@assay/event-store'
import { suggestionOf } from '@assay/reliability'
import { type Caller, type Route, route, seenOf } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { refusal } from '../definition/refusal.ts'
import type { Tables } from '../definition/targets.ts'
import { acceptance } from '../kinds.ts'
import { existing } from '../policy/decide.ts'
import { policyAnswerOf } from '../policy/records.ts'
import type { CreateFromRequest } from './create.ts'

const longestUid = 200

/** Names cannot have `/`. */
const nameFor = ({ uid }: TableMessage) => `Suggested checks of ${uid.slice(0, longestUid).replaceAll('/', '_')}`

/**
 * The request that creates a policy of the suggestions. Throws `invalid` naming an id that is not a suggestion for the
 * asset. Pure.
 */
function creationOf({ ids, name }: BodyOf<typeof acceptSuggestions>, table: TableMessage): PolicyCreation {
  const items = [...new Set(ids)].map((id, index) => {
    const item = suggestionOf(table.assetId, id)
    if (item === undefined)
      throw refusal(`ids[${index}]`, `is not a suggestion for this asset: GET ~/assets/${table.assetId}/suggestions`)
    return { ...item, executionOrder: index }
  })
  const rule = { name: name ?? nameFor(table), backingAsset: { tableAssetId: table.assetId } }
  const creation = policyKinds.DATA_QUALITY.create.body?.safeParse({ rule, items })
  if (!creation?.success) throw refusal('ids', 'are not suggestions: read them again')
  return creation.data
}

/** Creates a policy of suggested items, checked like any other new policy. */
export function suggestionAcceptance(deps: {
  tables: Tables
  readYourWrites: ReadYourWrites
  create: CreateFromRequest
}): Route {
  const { tables, readYourWrites, create } = deps

  async function tableOf(call: Caller, id: number): Promise<TableMessage> {
    await readYourWrites(seenOf(call, 'catalog'))
    const table = await tables.byId(call.identity.tenant, id)
    if (table === undefined) throw new AssayError('not-found', 'There is no such asset, or it has no rows.')
    return table
  }

  return route(acceptance, async (call) => {
    const table = await tableOf(call, call.params.id)
    const policy = existing(await create(call, 'DATA_QUALITY', creationOf(call.body, table)))
    return { body: policyAnswerOf(policy, call.identity.tenant) }
  })
}
