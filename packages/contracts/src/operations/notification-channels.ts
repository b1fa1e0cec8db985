import { z } from 'zod'
import { pagingQuery } from '../http/paging.ts'
import {
  channelAnswer,
  channelChange,
  channelDigestAnswer,
  channelList,
  channelTest,
  deliveryAnswer,
  deliveryList,
  deliveryStatus,
  newChannel,
  newChannelAnswer,
  rotatedSecret,
  rotation,
} from '../records/notification-channel.ts'
import { idText } from '../values/scalars.ts'
import { operation } from './operation.ts'
import { enumListText, idParams, none } from './shapes.ts'

const path = '/catalog-server/api/notification-channels'
const reading = { service: 'notification', permissions: ['NOTIFICATION_VIEW'] } as const
const writing = { service: 'notification', permissions: ['NOTIFICATION_MODIFY'] } as const

export const createChannel = operation({
  ...writing,
  id: 'createNotificationChannel',
  method: 'POST',
  path,
  summary: "Creates a channel that the notifications of the key's owner are sent to.",
  params: none,
  query: none,
  body: newChannel,
  answer: newChannelAnswer,
  errors: [403, 422],
  example: {
    body: {
      name: 'data team',
      type: 'WEBHOOK',
      configuration: { url: 'https://hooks.example.com/assay' },
    },
  },
})
export const listChannels = operation({
  ...reading,
  id: 'listNotificationChannels',
  method: 'GET',
  path,
  summary: "Lists the channels of the key's owner, newest first, and with TENANT_MODIFY the shared ones.",
  params: none,
  query: z.object(pagingQuery(['id', 'createdAt'])),
  answer: channelList,
  errors: [],
})
export const getChannel = operation({
  ...reading,
  id: 'getNotificationChannel',
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Reads a channel. Its secrets are masked.',
  params: idParams,
  query: none,
  answer: channelAnswer,
  errors: [404],
})
export const updateChannel = operation({
  ...writing,
  id: 'updateNotificationChannel',
  method: 'PUT',
  path: `${path}/{id}`,
  summary:
    'Changes a channel; absent fields stay. `enabled: true` resumes it, and sends the messages that its pause has parked.',
  params: idParams,
  query: none,
  body: channelChange,
  answer: channelAnswer,
  errors: [403, 404, 422],
  example: { body: { minSeverity: 'ERROR' } },
})
export const deleteChannel = operation({
  ...writing,
  id: 'deleteNotificationChannel',
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Deletes a channel. Messages that it has not sent yet are dropped.',
  params: idParams,
  query: none,
  errors: [403, 404],
})
export const testChannel = operation({
  ...writing,
  id: 'testNotificationChannel',
  method: 'POST',
  path: `${path}/{id}/test`,
  summary: 'Sends a test message once, and returns whether the receiver accepted it.',
  params: idParams,
  query: none,
  answer: channelTest,
  errors: [403, 404, 422],
})
export const sendChannelDigest = operation({
  ...writing,
  id: 'sendNotificationChannelDigest',
  method: 'POST',
  path: `${path}/{id}/digest`,
  summary: 'Sends what waits for the next digest of a channel now.',
  params: idParams,
  query: none,
  answer: channelDigestAnswer,
  errors: [404],
})
export const rotateChannelSecret = operation({
  ...writing,
  id: 'rotateNotificationChannelSecret',
  method: 'POST',
  path: `${path}/{id}/rotate`,
  summary: 'Gives a webhook a new secret. Until the overlap ends, messages are signed with both.',
  params: idParams,
  query: none,
  body: rotation,
  answer: rotatedSecret,
  errors: [403, 404, 422],
  example: { body: { overlapSeconds: 3600 } },
})
export const listDeliveries = operation({
  ...reading,
  id: 'listNotificationDeliveries',
  method: 'GET',
  path: `${path}/{id}/deliveries`,
  summary: 'Lists what was sent to a channel in the last 30 days, newest first, with each attempt.',
  params: idParams,
  query: z.object({ ...pagingQuery(['createdAt']), status: enumListText(deliveryStatus.options).optional() }),
  answer: deliveryList,
  errors: [404],
})
export const replayDelivery = operation({
  ...writing,
  id: 'replayNotificationDelivery',
  method: 'POST',
  path: `${path}/{id}/deliveries/{deliveryId}/replay`,
  summary: 'Sends a delivery again, with the same id and the same bytes.',
  params: z.object({ id: idText, deliveryId: z.string().min(1).max(100) }),
  query: none,
  answer: deliveryAnswer,
  errors: [403, 404, 422],
})
