import type { ChangeOf, ItemRecord, PolicyAnswer, PolicyType } from '@assay/contracts'
import type { CheckContext } from '../definition/check-side.ts'
import type { CompleteNames } from '../definition/portable-names.ts'
import type { NamedSides, Sides } from '../definition/targets.ts'
import type { DefinitionFrame, Target } from '../policy/definition.ts'
import type { ExistingPolicy } from '../policy/policy.ts'

type Typed<Type, Own> = DefinitionFrame & { type: Type } & Own

/** What this service knows of the types of a family. `Own`: the fields of a definition that only they have. */
export interface Family<Type extends PolicyType, Own> {
  /** `right`: the second table, for policies on two. */
  defaults(right: Target): Own
  /** The fields whose change is checked against the tables. Changes of other ones cannot make a run impossible. */
  checkedFields: Readonly<Record<keyof Own, boolean>>
  /** Where a request names the tables. */
  sidesNamed(sent: ChangeOf<Type>): NamedSides
  /** The request with what it leaves to be found out, such as the id of an asset that it names by its UID. */
  complete?(sent: ChangeOf<Type>, context: CompletionContext): Promise<ChangeOf<Type>>
  /** The fields after a change. New items have no number yet. Throws `invalid` naming the field. */
  merge(before: Typed<Type, Own>, sent: ChangeOf<Type>): Own & { filter?: string | null }
  /** Refuses definitions that can never work on their tables. Throws `invalid` naming the field. */
  check(definition: Typed<Type, Own>, tables: Sides, context: CheckContext): Promise<void>
  /**
   * The new or changed parts that read values of one side, each as the data quality item that reads the same values, with an
   * id of its own. `before`: absent unless its side is on the same table.
   */
  reads(definition: Typed<Type, Own>, before: Typed<Type, Own> | undefined, side: SideName): ReadPart[]
  /** The policy as its own routes show it. */
  answer(policy: ExistingPolicy, definition: Typed<Type, Own>, tenant: string): PolicyAnswer
}

export interface CompletionContext extends CheckContext {
  /** The main table. */
  assetId: number
  complete: CompleteNames
}

/** The only side of a policy on one table is the left one. */
export type SideName = 'left' | 'right'

export interface ReadPart {
  item: ItemRecord
  path: string
}

/** For types whose items read no values. */
export const readsNothing = (): ReadPart[] => []
