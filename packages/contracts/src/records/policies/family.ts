import { z } from 'zod'
import { pageMeta } from '../../http/paging.ts'
import { optional } from '../../values/scalars.ts'

/** The wire contract of one policy type. Types with the same structure form a family and share its fields. */
export interface PolicyRow<
  Answer = z.ZodType,
  List = z.ZodType,
  Items = z.ZodType,
  Creation = z.ZodType,
  Change = z.ZodType,
> {
  family: string
  /** Bodies of create and update. The parsed value contains the name of its family. */
  requests: { create: Creation; update: Change }
  /** The answers of its routes: one policy, a page of policies, the items of a policy. */
  records: { answer: Answer; list: List; items: Items }
  /** An item in the record of a run. */
  executedItem: z.ZodType
  /** A body that creates a policy, for the documentation. */
  example: { rule: object; items?: readonly object[]; mappings?: readonly object[] }
  /** The published contract that forbids schedules for policies of this type (decision 25). Absent if there is none. */
  unscheduledBy?: 'guide' | 'interface'
  /** Whether the path parameter of a read is called `id`. If absent, it is called `identifier`. */
  isReadById?: true
  /** The id of the operation that creates a policy, if existing clients use another one. */
  createId?: string
  /** Whether a read of a policy of another type is answered with 422. */
  refusesOthers?: true
  /** Whether the permission on the policy is enough to read results. */
  hasOpenResults?: true
}

/** Lists that a request may contain in addition to its items. */
type Lists = Record<string, z.ZodType>

export const listOf = <T extends z.ZodType>(item: T) => optional(z.array(item).max(500))

/**
 * The fields that all types of a family share. An item of a run has the fields of the policy's item, unless
 * `executedItem` is given.
 */
export function policyFamily<
  Family extends string,
  Rule extends z.ZodType,
  Sent extends Lists,
  Answer extends z.ZodType,
  Item extends z.ZodType,
  Executed extends z.ZodType = Item,
>(
  family: Family,
  { rule, lists, answer, item }: { rule: Rule; lists: Sent; answer: Answer; item: Item },
  executedItem: Item | Executed = item,
) {
  return {
    family,
    requests: {
      create: z.object({ rule, ...lists }).transform((sent) => ({ family, ...sent })),
      update: z.object({ rule: optional(rule), ...lists }).transform((sent) => ({ family, ...sent })),
    },
    records: {
      answer,
      list: z.object({ rules: z.array(answer), meta: pageMeta }),
      items: z.object({ items: z.array(item) }),
    },
    executedItem,
  }
}
