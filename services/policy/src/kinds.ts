import type { Operation } from '@assay/contracts'
import {
  acceptSuggestions,
  type BodyOf,
  type PolicyAnswer,
  type PolicyChange,
  type PolicyCreation,
  type PolicyType,
  policyByAsset,
  policyKinds,
  policyRow,
  policyTypes,
  type QueryOf,
  type ScheduleRequest,
} from '@assay/contracts'
import type { z } from 'zod'

type Same<T> = z.ZodType<T, T>
type Of<Params, Query, Body, Answer> = Operation<z.ZodType<Params>, z.ZodType<Query>, z.ZodType<Body>, Same<Answer>>
type ById = { id: number }
type ByName = { name: string }
type Quality = typeof policyKinds.DATA_QUALITY
export type VersionQuery = QueryOf<Quality['get']>
export type ListQuery = QueryOf<Quality['list']>
type MessageQuery = QueryOf<Quality['archive']>
type Unarchived = z.infer<Quality['unarchive']['answer'] & z.ZodType>

/** The operations of a kind; one handler serves all kinds. */
export interface KindOperations {
  create: Of<object, object, PolicyCreation, PolicyAnswer>
  list: Of<object, ListQuery, unknown, { rules: PolicyAnswer[]; meta: { count: number; page: number; size: number } }>
  get: Of<{ id: string } | { identifier: string }, VersionQuery, unknown, PolicyAnswer>
  getByName: Of<ByName, VersionQuery, unknown, PolicyAnswer>
  update: Of<ById, object, PolicyChange, PolicyAnswer>
  updateByName: Of<ByName, object, PolicyChange, PolicyAnswer>
  archive: Of<ById, MessageQuery, unknown, unknown>
  archiveByName: Of<ByName, MessageQuery, unknown, unknown>
  unarchive: Of<ById, object, unknown, Unarchived>
  unarchiveByName: Of<ByName, object, unknown, Unarchived>
  items: Of<ById, object, unknown, { items: PolicyAnswer['details']['items'] }>
  itemsByName: Of<ByName, object, unknown, { items: PolicyAnswer['details']['items'] }>
  schedule: Of<ById, object, ScheduleRequest, PolicyAnswer>
  scheduleByName: Of<ByName, object, ScheduleRequest, PolicyAnswer>
}

/** The answer of a kind's route for a policy of another kind. */
export type WrongKind = 'not-found' | 'unprocessable'

export interface Kind {
  type: PolicyType
  operations: KindOperations
  /** The answers for policies of another kind. */
  wrong: { get: WrongKind; update: WrongKind }
}

/** The answer of an update of a policy of another kind, where it is not `not-found`. */
const wrongUpdate: Partial<Record<PolicyType, WrongKind>> = { DATA_DRIFT: 'unprocessable' }

const operations: Record<PolicyType, KindOperations> = policyKinds

/** Creates a data quality policy, so its answer is that of one. */
export const acceptance: Of<ById, object, BodyOf<typeof acceptSuggestions>, PolicyAnswer> = acceptSuggestions

/** Every kind of policy. */
export const kinds: readonly Kind[] = policyTypes.map((type) => ({
  type,
  operations: operations[type],
  wrong: {
    get: policyRow(type).refusesOthers === true ? 'unprocessable' : 'not-found',
    update: wrongUpdate[type] ?? 'not-found',
  },
}))

type ByAsset = Of<{ identifier: number }, object, unknown, PolicyAnswer>
const byAsset: { readonly [Type in PolicyType]?: ByAsset } = policyByAsset

/** Kinds that can be requested by their asset. */
export const kindsByAsset: readonly { type: PolicyType; operation: ByAsset }[] = policyTypes.flatMap((type) => {
  const operation = byAsset[type]
  return operation === undefined ? [] : [{ type, operation }]
})
