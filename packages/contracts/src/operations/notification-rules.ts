import { z } from 'zod'
import { pagingQuery } from '../http/paging.ts'
import {
  dryRunAnswer,
  dryRunRequest,
  newNotificationRule,
  notificationRuleAnswer,
  notificationRuleChange,
  notificationRuleList,
} from '../records/notification-rule.ts'
import { operation } from './operation.ts'
import { idParams, none } from './shapes.ts'

const path = '/catalog-server/api/notification-rules'
const reading = { service: 'notification', permissions: ['NOTIFICATION_VIEW'] } as const
const writing = { service: 'notification', permissions: ['TENANT_MODIFY'] } as const
/** A rule sends what it matches to channels that no key limits, so whoever writes it must be able to read that. */
const routing = { service: 'notification', permissions: ['TENANT_MODIFY', 'ASSET_VIEW', 'POLICY_VIEW'] } as const

export const createNotificationRule = operation({
  ...routing,
  id: 'createNotificationRule',
  method: 'POST',
  path,
  summary: 'Creates a rule of the tenant, which sends what it matches to shared channels.',
  params: none,
  query: none,
  body: newNotificationRule,
  answer: notificationRuleAnswer,
  errors: [422],
  example: { body: { name: 'errors to on-call', when: { minSeverity: 'ERROR' }, channelIds: [1] } },
})
export const listNotificationRules = operation({
  ...reading,
  id: 'listNotificationRules',
  method: 'GET',
  path,
  summary: 'Lists the rules of the tenant, newest first.',
  params: none,
  query: z.object(pagingQuery(['id', 'createdAt'])),
  answer: notificationRuleList,
  errors: [],
})
export const getNotificationRule = operation({
  ...reading,
  id: 'getNotificationRule',
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Reads a rule.',
  params: idParams,
  query: none,
  answer: notificationRuleAnswer,
  errors: [404],
})
export const updateNotificationRule = operation({
  ...routing,
  id: 'updateNotificationRule',
  method: 'PUT',
  path: `${path}/{id}`,
  summary: 'Changes a rule. Absent fields stay; `when` is replaced as a whole.',
  params: idParams,
  query: none,
  body: notificationRuleChange,
  answer: notificationRuleAnswer,
  errors: [404, 422],
  example: { body: { when: { minSeverity: 'WARNING' } } },
})
export const deleteNotificationRule = operation({
  ...writing,
  id: 'deleteNotificationRule',
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Deletes a rule.',
  params: idParams,
  query: none,
  errors: [404],
})
export const dryRunNotificationRules = operation({
  ...writing,
  id: 'dryRunNotificationRules',
  method: 'POST',
  path: `${path}/dry-run`,
  summary: 'Returns which channels a notification would be sent to, and why, without sending it.',
  params: none,
  query: none,
  body: dryRunRequest,
  answer: dryRunAnswer,
  errors: [404, 422],
  example: { body: { kind: 'EXECUTION_ERRORED', assetId: 1 } },
})
