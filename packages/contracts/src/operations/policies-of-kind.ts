import { z } from 'zod'
import { withFieldRules } from '../fields/field-rules.ts'
import { pagingQuery } from '../http/paging.ts'
import type { PolicyRow } from '../records/policies/family.ts'
import { qualityRule, unarchiveAnswer } from '../records/policy.ts'
import { scheduleRequest } from '../records/policy-input.ts'
import type { PolicyType } from '../records/policy-types.ts'
import { policyStatusFilters } from '../values/policy-status.ts'
import { plainText } from '../values/scalars.ts'
import { type Operation, operation } from './operation.ts'
import { namesOf } from './policy-names.ts'
import { enumListText, identifierParams, idOrNameParams, idParams, nameParams, none } from './shapes.ts'

const view = ['ASSET_VIEW', 'POLICY_VIEW'] as const
const modify = ['ASSET_VIEW', 'POLICY_MODIFY'] as const

const isVersion = (text: unknown) => typeof text === 'string' && /^[1-9]\d{0,8}$/.test(text)
/** The published interface ignores a `version` that is not a number. */
const versionQuery = z.object({
  version: withFieldRules(
    z
      .string()
      .optional()
      .transform((text) => (isVersion(text) ? Number(text) : undefined)),
    { unread: (text) => (isVersion(text) ? undefined : 'is not a version: use a whole number from 1 on') },
  ),
  onlyExecutedVersion: z
    .string()
    .optional()
    .transform((text) => text?.toLowerCase() === 'true'),
})
const listQuery = z.object({
  ...pagingQuery(['id', 'name', 'createdAt', 'updatedAt', 'version']),
  ruleStatus: enumListText(policyStatusFilters).optional(),
  name: plainText(1000).optional(),
})
/** A character takes at most twelve bytes in the query, and the headers with the query may have 64 KiB. */
const message = z.object({ message: plainText(2_000).optional() })

type Status = Operation['errors'][number]

/** The operations on the definitions of one policy type. */
export function policiesOf<
  Answer extends z.ZodType,
  List extends z.ZodType,
  Items extends z.ZodType,
  Creation extends z.ZodType,
  Change extends z.ZodType,
>(type: PolicyType, row: PolicyRow<Answer, List, Items, Creation, Change>) {
  const { name, title, segment } = namesOf(type)
  const { records, requests } = row
  const root = `/catalog-server/api/rules/${segment}`
  const plural = `${title.replace(/^an? /, '')} policies`
  const unscheduled: readonly Status[] = row.unscheduledBy === 'guide' ? [501] : []
  const getting: readonly Status[] = row.refusesOthers === true ? [422] : []
  const [parameter, params] =
    row.isReadById === true ? (['id', idOrNameParams] as const) : (['identifier', identifierParams] as const)
  /** The body may contain what the client has read: the policy, or its row in the list of all types. */
  const sentBack = z.union([records.answer, qualityRule])
  return {
    create: operation({
      id: row.createId ?? `create${name}Rule`,
      method: 'POST',
      path: root,
      service: 'policy',
      permissions: ['ASSET_VIEW', 'POLICY_CREATE'],
      summary: `Creates ${title} policy.`,
      params: none,
      query: none,
      body: withFieldRules(requests.create, { sentBack }),
      example: { body: row.example },
      answer: records.answer,
      errors: [409, 422, ...unscheduled],
    }),
    list: operation({
      id: `list${name}Rules`,
      method: 'GET',
      path: root,
      service: 'policy',
      permissions: view,
      summary: `Lists ${plural}, newest change first. Archived ones only on request.`,
      params: none,
      query: listQuery,
      answer: records.list,
      errors: [],
    }),
    get: operation({
      id: `get${name}Rule`,
      method: 'GET',
      path: `${root}/{${parameter}}`,
      service: 'policy',
      permissions: view,
      summary: `Reads ${title} policy, in any version.`,
      params,
      query: versionQuery,
      answer: records.answer,
      errors: [404, ...getting],
    }),
    getByName: operation({
      id: `get${name}ByName`,
      method: 'GET',
      path: `${root}/byName/{name}`,
      service: 'policy',
      permissions: view,
      summary: `Reads ${title} policy by name, in any version.`,
      params: nameParams,
      query: versionQuery,
      answer: records.answer,
      errors: [404],
    }),
    update: operation({
      id: `update${name}Rule`,
      method: 'PUT',
      path: `${root}/{id}`,
      service: 'policy',
      permissions: modify,
      summary: `Changes ${title} policy. Fields of \`rule\` that are absent stay; a list in the body replaces the stored one.`,
      params: idParams,
      query: none,
      body: withFieldRules(requests.update, { sentBack }),
      example: { body: { rule: { description: 'Reviewed every morning.' } } },
      answer: records.answer,
      errors: [404, 409, 422, ...unscheduled],
    }),
    updateByName: operation({
      id: `update${name}ByName`,
      method: 'PUT',
      path: `${root}/byName/{name}`,
      service: 'policy',
      permissions: modify,
      summary: `Changes ${title} policy, by name.`,
      params: nameParams,
      query: none,
      body: withFieldRules(requests.update, { sentBack }),
      example: { body: { rule: { description: 'Reviewed every morning.' } } },
      answer: records.answer,
      errors: [404, 409, 422, ...unscheduled],
    }),
    archive: operation({
      id: `delete${name}Rule`,
      method: 'DELETE',
      path: `${root}/{id}`,
      service: 'policy',
      permissions: modify,
      summary: `Archives ${title} policy; \`message\` is the reason.`,
      params: idParams,
      query: message,
      errors: [404],
    }),
    archiveByName: operation({
      id: `delete${name}ByName`,
      method: 'DELETE',
      path: `${root}/byName/{name}`,
      service: 'policy',
      permissions: modify,
      summary: `Archives ${title} policy, by name.`,
      params: nameParams,
      query: message,
      errors: [404],
    }),
    unarchive: operation({
      id: `unarchive${name}Rule`,
      method: 'POST',
      path: `${root}/{id}/unarchive`,
      service: 'policy',
      permissions: modify,
      summary: `Unarchives ${title} policy.`,
      params: idParams,
      query: none,
      answer: unarchiveAnswer,
      errors: [404, 409],
    }),
    unarchiveByName: operation({
      id: `unarchive${name}ByName`,
      method: 'POST',
      path: `${root}/byName/{name}/unarchive`,
      service: 'policy',
      permissions: modify,
      summary: `Unarchives ${title} policy, by name.`,
      params: nameParams,
      query: none,
      answer: unarchiveAnswer,
      errors: [404, 409],
    }),
    items: operation({
      id: `get${name}Items`,
      method: 'GET',
      path: `${root}/{id}/items`,
      service: 'policy',
      permissions: view,
      summary: `Lists the items of ${title} policy.`,
      params: idParams,
      query: none,
      answer: records.items,
      errors: [404],
    }),
    itemsByName: operation({
      id: `get${name}ItemsByName`,
      method: 'GET',
      path: `${root}/byName/{name}/items`,
      service: 'policy',
      permissions: view,
      summary: `Lists the items of ${title} policy, by name.`,
      params: nameParams,
      query: none,
      answer: records.items,
      errors: [404],
    }),
    schedule: operation({
      id: `set${name}Schedule`,
      method: 'PUT',
      path: `${root}/{id}/schedule`,
      service: 'policy',
      permissions: modify,
      summary: `Switches the stored schedule of ${title} policy on or off: only \`scheduled\` is applied.`,
      params: idParams,
      query: none,
      body: scheduleRequest,
      example: { body: { scheduled: true } },
      answer: records.answer,
      errors: [404, 422, ...unscheduled],
    }),
    scheduleByName: operation({
      id: `set${name}ScheduleByName`,
      method: 'PUT',
      path: `${root}/byName/{name}/schedule`,
      service: 'policy',
      permissions: modify,
      summary: `Switches the stored schedule of ${title} policy on or off, by name.`,
      params: nameParams,
      query: none,
      body: scheduleRequest,
      example: { body: { scheduled: true } },
      answer: records.answer,
      errors: [404, 422, ...unscheduled],
    }),
  }
}
