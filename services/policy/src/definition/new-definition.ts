import { isDeepStrictEqual } from 'node:util'
import type { BackingAssetInput, PolicyChange, PolicyCreation, PolicyType } from '@assay/contracts'
import type { NumberBlocks } from '@assay/event-store'
import type { Prepare } from '@assay/hosting/ports'
import { kindOf } from '@assay/reliability'
import { z } from 'zod'
import { changeOf, families, familyOf } from '../families/table.ts'
import { defaultDefinition } from '../policy/default-definition.ts'
import type { Definition, DefinitionOf, Target } from '../policy/definition.ts'
import { assertScheduling, type ScheduleContract } from '../schedule/support.ts'
import type { CheckContext } from './check-side.ts'
import { assertTablesLive } from './live-tables.ts'
import { unnumbered } from './merge-list.ts'
import { checkScoreItems, mergeRule } from './merge-rule.ts'
import type { Author, CompleteNames } from './portable-names.ts'
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
  const checked: Record<string, boolean> = { ...families[definition.type].checkedFields, target: true, filter: true }
  return Object.fromEntries(Object.entries(definition).filter(([name]) => checked[name]))
}

/** Accepts a definition whose source is unreachable or whose table is unknown. Throws `invalid` naming the field. */
function checkDefinition<Type extends PolicyType>(
  definition: DefinitionOf<Type>,
  tables: Sides,
  context: CheckContext,
) {
  return familyOf(definition.type).check(definition, tables, context)
}

export function createDefinitions(deps: {
  tables: Tables
  numbers: NumberBlocks
  prepare: Prepare
  scheduleContract: ScheduleContract
  completeNames: (author: Author) => CompleteNames
}): Definitions {
  const { tables, numbers, prepare, scheduleContract, completeNames } = deps

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

  /** The definition after a request, which is completed first. Its new parts have no number yet. */
  async function merged<Type extends PolicyType>(
    author: Author,
    before: DefinitionOf<Type>,
    sent: PolicyChange,
  ): Promise<DefinitionOf<Type>> {
    const { type, target } = before
    const family = familyOf(type)
    const change = changeOf(type, sent)
    const context = { tenant: author.tenant, prepare, assetId: target.assetId, complete: completeNames(author) }
    const completed = (await family.complete?.(change, context)) ?? change
    const frame = mergeRule(before, sent.rule)
    return { ...frame, ...family.merge(frame, completed) }
  }

  /** The current tables; a deleted one cannot be checked against. */
  async function tablesOf(tenant: string, definition: Definition): Promise<Sides> {
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
      await checkDefinition(draft, await tablesOf(tenant, draft), { tenant, prepare })
    }
    return numbered(tenant, draft)
  }

  return {
    async create(author, type, sent) {
      const { tenant } = author
      const { rule } = sent
      if (rule.name === undefined) throw refusal('rule.name', 'is needed')
      const sides = sidesNamed(type, sent)
      const main = await newTarget(tenant, sides.main)
      const right = sides.right === undefined ? undefined : await newTarget(tenant, sides.right)
      // In a new policy each threshold counts as explicit, even if it equals the default.
      const verdictBy = rule.thresholdLevel === undefined ? 'ITEMS' : 'SCORE'
      const blank: Definition = { ...defaultDefinition(type, rule.name, main, right), verdictBy }
      return finished(tenant, undefined, await merged(author, blank, sent))
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
      const sides = sidesNamed(before.type, sent)
      const moved: Definition = { ...before, target: await changedTarget(tenant, before.target, sides.main) }
      if ('rightTarget' in moved && sides.right !== undefined)
        moved.rightTarget = await changedTarget(tenant, moved.rightTarget, sides.right)
      const after = await finished(tenant, before, await merged(author, moved, sent))
      if (after.enabled && !before.enabled) await assertTablesLive(tables, tenant, after)
      return isDeepStrictEqual(before, after) ? before : after
    },
  }
}
