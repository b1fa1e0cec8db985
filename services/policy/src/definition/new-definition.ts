import { isDeepStrictEqual } from 'node:util'
import type { BackingAssetInput, PolicyChange, PolicyCreation, PolicyType } from '@assay/contracts'
import type { NumberBlocks } from '@assay/event-store'
import type { Prepare } from '@assay/hosting/ports'
import { kindOf } from '@assay/reliability'
import { z } from 'zod'
import { type Definition, defaultDefinition, type Target } from '../policy/definition.ts'
import { assertScheduling, type ScheduleContract } from '../schedule/support.ts'
import { checkDefinition } from './check.ts'
import { assertTablesLive } from './live-tables.ts'
import { mergeDefinition } from './merge-definition.ts'
import { unnumbered } from './merge-list.ts'
import { checkScoreItems } from './merge-rule.ts'
import type { Author, WithBothNames } from './portable-names.ts'
import { refusal } from './refusal.ts'
import { type NamedSide, namedTable, type Sides, sidesNamed, type Tables, targetOf } from './targets.ts'

/** Creates checked definitions from requests: every result can run. Throws `invalid`, `unprocessable`. */
export interface Definitions {
  /** Error also `not-implemented`, for a schedule of a type that cannot be scheduled. */
  create(author: Author, type: PolicyType, sent: PolicyCreation): Promise<Definition>
  /** Returns `before` itself if nothing changes. */
  change(author: Author, before: Definition, sent: PolicyChange): Promise<Definition>
  /** Key of the baseline of a new policy in the execution service; `undefined` means it has none. */
  baselineOf(tenant: string, definition: Definition): Promise<string | undefined>
}

const jsonMarker: z.ZodType<NonNullable<Target['marker']>> = z.object({ type: z.string() }).catchall(z.json())

function markerOf(asset: BackingAssetInput | undefined, before: Target['marker']): Target['marker'] {
  return asset?.marker === undefined ? before : jsonMarker.parse(asset.marker)
}

/** The parts that decide whether a definition can work, without name, state, score and schedule. */
function checkedParts(definition: Definition): object {
  const { type, target, filter, items } = definition
  if (type === 'RECONCILIATION' || type === 'EQUALITY') {
    const { rightTarget, rightFilter, joinType, mappings } = definition
    return { target, filter, items, rightTarget, rightFilter, joinType, mappings }
  }
  if ('backfill' in definition) return { target, filter, items, backfill: definition.backfill }
  return type === 'DATA_DRIFT' ? { target, filter, items, baseline: definition.baseline } : { target, filter, items }
}

export function createDefinitions(deps: {
  tables: Tables
  numbers: NumberBlocks
  prepare: Prepare
  scheduleContract: ScheduleContract
  withBothNames: WithBothNames
}): Definitions {
  const { tables, numbers, prepare, scheduleContract, withBothNames } = deps

  async function newTarget(tenant: string, side: NamedSide): Promise<Target> {
    const table = await tables.named(tenant, side)
    if (table !== undefined) return targetOf(table, markerOf(side.asset, null))
    throw refusal(side.at, 'is needed: the table that the policy is about, in tableAssetId or tableAssetUid')
  }

  /** The target after a change. */
  async function changedTarget(tenant: string, before: Target, side: NamedSide): Promise<Target> {
    const marker = markerOf(side.asset, before.marker)
    const name = namedTable(side)
    const isSame = name === undefined || ('id' in name ? name.id === before.assetId : name.uid === before.uid)
    const otherUid = (side.asset?.tableAssetUid ?? before.uid) !== before.uid
    const table = isSame && !otherUid ? undefined : await tables.named(tenant, side)
    return table === undefined ? { ...before, marker } : targetOf(table, marker)
  }

  /** The request with the reference asset of the table's configuration, if it names no asset to compare with. */
  async function withReference<Sent extends PolicyChange>(tenant: string, { assetId }: Target, sent: Sent) {
    const baseline = sent.family === 'data-drift' ? sent.rule?.baseline : undefined
    if (baseline?.type !== 'REFERENCE' || (baseline.referenceAssetId ?? baseline.referenceAssetUid) !== undefined)
      return sent
    const found = await prepare({ tenant, assetId, locator: null, metrics: [], referenced: true })
    const referenceAssetId = found === 'unreachable' ? undefined : found.referenceAssetId
    return { ...sent, rule: { ...sent.rule, baseline: { ...baseline, referenceAssetId } } }
  }

  /** The current tables; a deleted one cannot be checked against. */
  async function sidesOf(tenant: string, definition: Definition): Promise<Sides> {
    const alive = async (id: number) => {
      const table = await tables.byId(tenant, id)
      return table?.isDeleted === true ? undefined : table
    }
    return {
      main: await alive(definition.target.assetId),
      right: 'rightTarget' in definition ? await alive(definition.rightTarget.assetId) : undefined,
    }
  }

  /** Numbers are taken only for new parts, and only when nothing was refused. */
  async function numbered(tenant: string, definition: Definition): Promise<Definition> {
    const made = structuredClone(definition)
    const lists: [string, { id: number }[]][] = [['policy-item', made.items]]
    if ('mappings' in made) lists.push(['policy-mapping', made.mappings])
    for (const [counter, entries] of lists) {
      const fresh = entries.filter(({ id }) => id === unnumbered)
      const taken = fresh.length === 0 ? [] : await numbers.take(tenant, counter, fresh.length)
      fresh.forEach((entry, index) => {
        entry.id = Number(taken[index])
      })
    }
    return made
  }

  async function finished(tenant: string, before: Definition | undefined, draft: Definition): Promise<Definition> {
    checkScoreItems(draft)
    assertScheduling(draft, before, scheduleContract)
    // Unchanged parts are not checked again, so a policy whose table has changed can still be renamed.
    if (before === undefined || !isDeepStrictEqual(checkedParts(before), checkedParts(draft))) {
      await checkDefinition(draft, await sidesOf(tenant, draft), { tenant, prepare })
    }
    return numbered(tenant, draft)
  }

  return {
    async create(author, type, sent) {
      const { tenant } = author
      const { rule } = sent
      if (rule.name === undefined) throw refusal('rule.name', 'is needed')
      const sides = sidesNamed(sent)
      const main = await newTarget(tenant, sides.main)
      const right = sides.right === undefined ? undefined : await newTarget(tenant, sides.right)
      // In a new policy each threshold counts as explicit, even if it equals the default.
      const verdictBy = rule.thresholdLevel === undefined ? 'ITEMS' : 'SCORE'
      const blank: Definition = { ...defaultDefinition(type, rule.name, main, right), verdictBy }
      const named = await withBothNames(author, await withReference(tenant, main, sent))
      return finished(tenant, undefined, mergeDefinition(blank, named))
    },

    async baselineOf(tenant, { type, target: { assetId } }) {
      if (kindOf(type).learn === undefined) return undefined
      const table = await tables.byId(tenant, assetId)
      if (table === undefined) return undefined
      const learnt = await prepare({ tenant, assetId, locator: table.locator, metrics: [], learns: type })
      return learnt === 'unreachable' ? undefined : learnt.baseline
    },

    async change(author, before, sent) {
      const { tenant } = author
      const sides = sidesNamed(sent)
      const moved: Definition = { ...before, target: await changedTarget(tenant, before.target, sides.main) }
      if ('rightTarget' in moved && sides.right !== undefined)
        moved.rightTarget = await changedTarget(tenant, moved.rightTarget, sides.right)
      const named = await withBothNames(author, await withReference(tenant, moved.target, sent))
      const after = await finished(tenant, before, mergeDefinition(moved, named))
      if (after.enabled && !before.enabled) await assertTablesLive(tables, tenant, after)
      return isDeepStrictEqual(before, after) ? before : after
    },
  }
}
