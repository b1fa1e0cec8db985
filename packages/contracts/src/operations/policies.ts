import { z } from 'zod'
import type { PolicyRow } from '../records/policies/family.ts'
import { policyRow, policyTable } from '../records/policies/table.ts'
import { forEachType, type PolicyType } from '../records/policy-types.ts'
import { suggestionAcceptance } from '../records/profiles.ts'
import { idText } from '../values/scalars.ts'
import { type Operation, operation } from './operation.ts'
import { policiesOf } from './policies-of-kind.ts'
import { namesOf } from './policy-names.ts'
import { idParams, none } from './shapes.ts'

type Policies<Row extends PolicyRow> = ReturnType<
  typeof policiesOf<
    Row['records']['answer'],
    Row['records']['list'],
    Row['records']['items'],
    Row['requests']['create'],
    Row['requests']['update']
  >
>
type PolicyKinds = { [Type in PolicyType]: Policies<(typeof policyTable)[Type]> }

/** Definitions of policies, by type. */
export const policyKinds = forEachType<PolicyKinds>((type) => policiesOf(type, policyRow(type)))

function byAsset<Answer extends z.ZodType>(type: PolicyType, { records }: { records: { answer: Answer } }) {
  const { name, segment } = namesOf(type)
  return operation({
    id: `get${name}ByAsset`,
    method: 'GET',
    path: `/catalog-server/api/rules/${segment}/byAsset/{identifier}`,
    service: 'policy',
    permissions: ['ASSET_VIEW', 'POLICY_VIEW'],
    summary: 'Reads the policy of this type on an asset; with several, the one with the lowest id.',
    params: z.object({ identifier: idText }),
    query: none,
    answer: records.answer,
    errors: [404],
  })
}

/** Only for types that normally have one policy per asset. */
export const policyByAsset = {
  PROFILE_ANOMALY: byAsset('PROFILE_ANOMALY', policyTable.PROFILE_ANOMALY),
  AUTO_ANOMALY: byAsset('AUTO_ANOMALY', policyTable.AUTO_ANOMALY),
  DATA_CADENCE: byAsset('DATA_CADENCE', policyTable.DATA_CADENCE),
  DATA_FRESHNESS: byAsset('DATA_FRESHNESS', policyTable.DATA_FRESHNESS),
} as const

/** `created`: tables that got a policy. `existing`: tables that already have one, or whose policy was archived. */
export const createAutoAnomalyPolicies = operation({
  id: 'createAutoAnomalyPolicies',
  method: 'POST',
  path: '/catalog-server/api/assemblies/{id}/auto-anomaly',
  service: 'policy',
  permissions: ['ASSET_VIEW', 'POLICY_CREATE'],
  summary:
    'Creates an auto anomaly policy for each table of an assembly that has none. Repeating the call changes nothing.',
  params: idParams,
  query: none,
  answer: z.object({ created: z.int(), existing: z.int() }).meta({ id: 'AutoAnomalyPolicies' }),
  errors: [404],
})

export const acceptSuggestions = operation({
  id: 'acceptSuggestions',
  method: 'POST',
  path: '/catalog-server/api/assets/{id}/suggestions/accept',
  service: 'policy',
  permissions: ['ASSET_VIEW', 'POLICY_CREATE'],
  summary:
    'Creates a data quality policy from suggested items. Conditions on protected columns need ASSET_PROTECTED_VIEW.',
  params: idParams,
  query: none,
  body: suggestionAcceptance,
  example: {
    body: {
      ids: ['WzExLCJUaXRsZSIsIk1JU1NJTkdfVkFMVUVTIix7fSwxMDBd'],
      name: 'Movies are as they were',
    },
  },
  answer: policyTable.DATA_QUALITY.records.answer,
  errors: [404, 409, 422],
})

/** All operations on policies of one type, for the table. */
export const policyKindOperations: readonly Operation[] = [
  ...Object.values(policyKinds).flatMap((kind) => Object.values<Operation>(kind)),
  ...Object.values<Operation>(policyByAsset),
  createAutoAnomalyPolicies,
  acceptSuggestions,
]
