import { isDeepStrictEqual } from 'node:util'
import type { ItemInput, RuleInput, TableMessage } from '@assay/contracts'
import type { NumberBlocks } from '@assay/event-store'
import { z } from 'zod'
import type { Prepare } from '../dependencies.ts'
import { type Definition, defaultDefinition, type ItemDefinition, type Target } from '../policy/definition.ts'
import { checkDefinition } from './check.ts'
import { draftItems, type ItemDraft } from './merge-items.ts'
import { checkScoreItems, mergeRule } from './merge-rule.ts'
import { refusal } from './refusal.ts'
import { namedTable, type Tables, targetOf } from './target.ts'

/** What people send of a definition. Absent items stay, a list replaces them. */
export interface Patch {
  rule?: RuleInput | undefined
  items?: ItemInput[] | undefined
}

/** Makes definitions of what people send, checked: what comes out of it can run. Errors: `invalid`, `unprocessable`. */
export interface Definitions {
  create(tenant: string, patch: Patch & { rule: RuleInput }): Promise<Definition>
  change(tenant: string, before: Definition, patch: Patch): Promise<Definition>
}

const jsonMarker: z.ZodType<NonNullable<Target['marker']>> = z.object({ type: z.string() }).catchall(z.json())

function markerOf(rule: RuleInput, before: Target['marker']): Target['marker'] {
  const sent = rule.backingAsset?.marker
  return sent === undefined ? before : jsonMarker.parse(sent)
}

function changedTarget(before: Target, rule: RuleInput, named: TableMessage | undefined): Target {
  const marker = markerOf(rule, before.marker)
  return named === undefined ? { ...before, marker } : targetOf(named, marker)
}

export function createDefinitions(deps: { tables: Tables; numbers: NumberBlocks; prepare: Prepare }): Definitions {
  const { tables, numbers, prepare } = deps

  /** The table that a request names, where it is not the one that the policy has. */
  async function otherTable(tenant: string, before: Target, rule: RuleInput): Promise<TableMessage | undefined> {
    const name = namedTable(rule)
    const isSame = name === undefined || ('id' in name ? name.id === before.assetId : name.uid === before.uid)
    const otherUid = (rule.backingAsset?.tableAssetUid ?? before.uid) !== before.uid
    return isSame && !otherUid ? undefined : tables.named(tenant, rule)
  }

  /** Numbers are taken only for items that are new. */
  async function numbered(tenant: string, drafts: readonly ItemDraft[]): Promise<ItemDefinition[]> {
    const missing = drafts.filter(({ id }) => id === undefined).length
    const fresh = missing === 0 ? [] : await numbers.take(tenant, 'policy-item', missing)
    return drafts.map((draft) => ({ ...draft, id: draft.id ?? Number(fresh.shift()) }))
  }

  /** Drafts are checked under numbers of their own, so that a refused definition takes none. */
  async function finished(
    tenant: string,
    rule: Definition,
    drafts: readonly ItemDraft[],
    table: TableMessage | undefined,
  ): Promise<Definition> {
    const provisional = { ...rule, items: drafts.map((draft, index) => ({ ...draft, id: draft.id ?? index + 1 })) }
    checkScoreItems(provisional)
    if (table !== undefined) await checkDefinition(provisional, table, { tenant, prepare })
    return { ...rule, items: await numbered(tenant, drafts) }
  }

  return {
    async create(tenant, { rule, items }) {
      if (rule.name === undefined) throw refusal('rule.name', 'is needed')
      const table = await tables.named(tenant, rule)
      if (table === undefined)
        throw refusal(
          'rule.backingAsset',
          'is needed: the table that the policy is about, in tableAssetId or tableAssetUid',
        )
      const target = targetOf(table, markerOf(rule, null))
      const merged = mergeRule(defaultDefinition(rule.name, target), rule, target)
      return finished(tenant, merged, draftItems([], items ?? []), table)
    },

    async change(tenant, before, { rule, items }) {
      const named = rule === undefined ? undefined : await otherTable(tenant, before.target, rule)
      const merged = rule === undefined ? before : mergeRule(before, rule, changedTarget(before.target, rule, named))
      const drafts = items === undefined ? before.items : draftItems(before.items, items)
      const isChecked =
        isDeepStrictEqual(drafts, before.items) &&
        isDeepStrictEqual([merged.target, merged.filter], [before.target, before.filter])
      // What was checked when it was written is not checked again: a policy whose table has changed can still be renamed.
      const table = isChecked ? undefined : (named ?? (await tables.byId(tenant, merged.target.assetId)))
      const after = await finished(tenant, merged, drafts, table?.isDeleted === true ? undefined : table)
      return isDeepStrictEqual(before, after) ? before : after
    },
  }
}
