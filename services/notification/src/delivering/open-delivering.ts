import type { CommandHandler, NumberBlocks } from '@assay/event-store'
import { messageOf } from '@assay/service-kit/errors'
import { deliveryRoutes } from '../channels/delivery-routes.ts'
import { channelRoutes } from '../channels/routes.ts'
import { sealChannelsAgain } from '../channels/sealing-again.ts'
import { createHoldsPermissions, createMayRead } from '../copies/keys.ts'
import type { NotificationServiceDeps } from '../dependencies.ts'
import { createChannelDigests } from '../digest/channel-digests.ts'
import type { Notify } from '../notifying/notify.ts'
import { createHttpSender } from '../sending/http-sender.ts'
import { createReceiverCheck } from '../sending/lookup.ts'
import { createMailSender } from '../sending/mail-sender.ts'
import { createSend } from '../sending/sender.ts'
import { createBadRowsInMessages } from './bad-rows.ts'
import { createFanOut } from './fan-out.ts'
import { measuredSend } from './measured-send.ts'
import { createOutbox } from './outbox.ts'
import { createOutboxes } from './outbox-work.ts'

/** The routes and background work that send notifications to receivers outside of Assay. */
export function createDelivering(
  deps: NotificationServiceDeps & { commands: CommandHandler; numbers: NumberBlocks; notify: Notify },
) {
  const { delivery, logger, newId, soleInstance: isSole = false } = deps
  const { allowed, publicUrl, mail: mailSettings, ca } = delivery
  const check = createReceiverCheck({ ...deps, allowed })
  const http = createHttpSender({ ...deps, check, ca })
  const mail = mailSettings && createMailSender(mailSettings, ca)
  const send = createSend({ ...deps, http, mail })
  const mayRead = createMayRead(deps)
  const complete = createBadRowsInMessages({
    ...deps,
    firstBadRows: delivery.badRows ? deps.firstBadRows : undefined,
    holds: createHoldsPermissions(deps),
  })
  const outboxes = createOutboxes({
    ...deps,
    send: measuredSend(send, deps.metrics),
    complete,
    mayRead,
    policy: delivery,
    workerId: newId(),
    isSole,
  })
  const outbox = createOutbox({ ...deps, take: outboxes.take })
  const digests = createChannelDigests({ ...deps, outbox, mayRead, publicUrl })
  const fanOut = createFanOut({
    ...deps,
    outbox,
    publicUrl,
    onError: (error, { event, parked }) => {
      const about = { stream: event?.stream, revision: event?.revision, parked, error: messageOf(error) }
      logger.error(about, 'the deliveries of an event were not requested')
    },
  })
  return {
    digests,
    routes: [
      ...channelRoutes({ ...deps, check, outboxes, digests, canMail: mail !== undefined }),
      ...deliveryRoutes({ ...deps, digests, send, publicUrl }),
    ],
    async start() {
      await sealChannelsAgain(deps)
      outboxes.start()
      await fanOut.start()
    },
    async stop() {
      await fanOut.stop()
      await outboxes.stop()
      await http.close()
      mail?.close()
    },
  }
}
