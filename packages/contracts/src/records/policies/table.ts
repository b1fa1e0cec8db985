import { z } from 'zod'
import type { PolicyType } from '../policy-types.ts'
import { autoAnomaly, profileAnomaly } from './anomaly.ts'
import { dataCadence, dataFreshness } from './arrival.ts'
import { dataDrift } from './data-drift.ts'
import { dataQuality } from './data-quality.ts'
import type { PolicyRow } from './family.ts'
import { equality, reconciliation } from './reconciliation.ts'
import { schemaDrift } from './schema-drift.ts'

/** The wire contract of each policy type. */
export const policyTable = {
  DATA_QUALITY: dataQuality,
  RECONCILIATION: reconciliation,
  EQUALITY: equality,
  DATA_DRIFT: dataDrift,
  SCHEMA_DRIFT: schemaDrift,
  PROFILE_ANOMALY: profileAnomaly,
  AUTO_ANOMALY: autoAnomaly,
  DATA_CADENCE: dataCadence,
  DATA_FRESHNESS: dataFreshness,
} as const satisfies Record<PolicyType, PolicyRow>

type Row = (typeof policyTable)[PolicyType]
export type PolicyFamily = Row['family']
type RowOf<Family extends PolicyFamily> = Extract<Row, { family: Family }>

/** A body that creates a policy. */
export type PolicyCreation = z.output<Row['requests']['create']>
/** A body that changes a policy. A list replaces the stored one. If a list is absent, the stored one stays. */
export type PolicyChange = z.output<Row['requests']['update']>
/** A body that changes a policy of a type. */
export type ChangeOf<Type extends PolicyType> = z.output<(typeof policyTable)[Type]['requests']['update']>
/** A policy of a family as its own routes show it. */
export type PolicyAnswerOf<Family extends PolicyFamily> = z.output<RowOf<Family>['records']['answer']>

const rows: readonly Row[] = Object.values(policyTable)
const different = <T>(all: readonly T[]) => [...new Set(all)]

/** A policy of any type as its own routes show it; `rule.type` names the type. */
export const policyAnswer = z.union(different(rows.map(({ records }) => records.answer)))
export type PolicyAnswer = z.output<typeof policyAnswer>
/** An item of any type in the record of a run. */
export const executedItem = z.union(different(rows.map((row) => row.executedItem)))

/** A type guard is needed, because comparing the nested `rule.type` does not narrow the union. */
export function isOfFamily<Family extends PolicyFamily>(
  answer: PolicyAnswer,
  family: Family,
): answer is PolicyAnswerOf<Family> & PolicyAnswer {
  return policyTable[answer.rule.type].family === family
}

export function isChangeOf<Type extends PolicyType>(
  type: Type,
  change: PolicyChange,
): change is ChangeOf<Type> & PolicyChange {
  return policyTable[type].family === change.family
}

/** The row of a policy type, without the types of its schemas. */
export const policyRow = (type: PolicyType): PolicyRow => policyTable[type]

/** The names of a policy type in paths and in ids of requests. */
export const segmentOf = (type: string): string => type.toLowerCase().replaceAll('_', '-')
