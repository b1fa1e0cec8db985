import { z } from 'zod'
import { at, by, changes, type EventTypes, id, json } from './shapes.ts'

/** The policy as it is after the event. */
const policy = z.looseObject({
  policyId: id,
  policyName: z.string(),
  policyType: z.string(),
  policyVersion: z.int(),
  assetId: id,
  assetUid: z.string(),
  /** The right side of a comparison. */
  rightAssetId: id.optional(),
  rightAssetUid: z.string().optional(),
  enabled: z.boolean(),
  archived: z.boolean(),
  scheduled: z.boolean(),
  actor: z.string(),
  changes,
})
const ofPolicy = (summary: string) => ({ entity: 'policy', summary, data: policy })
const ofConfiguration = (more: z.ZodRawShape) => z.looseObject({ configId: id, at, by, ...more })
const content = { name: z.string(), description: z.string().nullable(), categoriesConfig: json }

/** Types of the topic `assay.policy.policies`. */
export const policyEventTypes = {
  PolicyCreated: ofPolicy('A policy was created.'),
  PolicyDefinitionChanged: ofPolicy('The definition of a policy was changed.'),
  PolicyEnabled: ofPolicy('A policy was enabled.'),
  PolicyDisabled: ofPolicy('A policy was disabled, by a person or because its table was deleted.'),
  PolicyScheduleSet: ofPolicy('The schedule of a policy was set.'),
  PolicyConfigurationSet: ofPolicy('The configuration of where a policy stores its results was set.'),
  PolicyStorageFollowed: ofPolicy('The persistence configuration that a policy uses was changed.'),
  PolicyTagged: ofPolicy('Tags were added to a policy.'),
  PolicyUntagged: ofPolicy('A tag was removed from a policy.'),
  PolicyArchived: ofPolicy('A policy was archived.'),
  PolicyUnarchived: ofPolicy('A policy was unarchived.'),
  PersistenceConfigCreated: {
    entity: 'persistence',
    summary: 'A persistence configuration was created.',
    data: ofConfiguration({ ...content, isDefault: z.boolean() }),
  },
  PersistenceConfigChanged: {
    entity: 'persistence',
    summary: 'A persistence configuration was changed.',
    data: ofConfiguration(content),
  },
  PersistenceConfigMadeDefault: {
    entity: 'persistence',
    summary: 'A persistence configuration became the default.',
    data: ofConfiguration({}),
  },
  PersistenceConfigDeleted: {
    entity: 'persistence',
    summary: 'A persistence configuration was deleted.',
    data: ofConfiguration({}),
  },
  RuleTagCreated: {
    entity: 'ruletag',
    summary: 'A tag of policies was created.',
    data: z.looseObject({ tagId: id, name: z.string(), at, by }),
  },
} satisfies EventTypes
