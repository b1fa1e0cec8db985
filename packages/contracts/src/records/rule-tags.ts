import { z } from 'zod'
import { id, optional } from '../values/scalars.ts'
import { tagName } from './annotations.ts'

/** A tag on a policy. `id` identifies the association, `tagId` the tag. */
export const ruleTag = z
  .object({ id, name: z.string(), ruleId: id, tagId: id, tenantId: z.string() })
  .meta({ id: 'RuleTag' })
export type RuleTag = z.infer<typeof ruleTag>

/** Clients may send the whole record. Only the name is read, because the path identifies the policy. */
const ruleTagInput = z.object({ name: tagName, id: optional(id), ruleId: optional(id), tagId: optional(id) })

export const ruleTagRequest = z.object({ ruleTag: ruleTagInput })
export const ruleTagsRequest = z.object({ ruleTags: z.array(ruleTagInput).min(1, 'must not be empty').max(100) })
export const ruleTagList = z.object({ ruleTags: z.array(ruleTag) })
