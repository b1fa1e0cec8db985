import type { Delivery, MessageBus, Outcome } from '@assay/message-bus'
import { type Logger, type Metrics, messageOf, type Timers } from '@assay/service-kit'
import { createPolledGauge } from './polled-gauge.ts'

/** Only every fourth read counts parked messages, because they change rarely and counting them costs more. */
const readsPerParkedCount = 4

/**
 * The bus with metrics: messages published, by topic; and for each group joined through it, messages handled by
 * outcome, the group's lag and its parked messages. Lag and parked messages are NaN until the first read, while the
 * cluster does not answer, and after the process has left the group.
 */
export function measuredBus(
  bus: MessageBus,
  { metrics, timers, logger }: { metrics: Metrics; timers: Timers; logger: Logger },
): MessageBus {
  const published = metrics.counter({
    name: 'assay_bus_published_messages_total',
    help: 'Messages published, by topic.',
    labels: ['topic'],
  })
  const handled = metrics.counter({
    name: 'assay_bus_handled_messages_total',
    help: 'Messages passed to a handler of the group. Outcome: done, skip, retry, park; an error counts as retry.',
    labels: ['group', 'outcome'],
  })
  const lags = metrics.gauge({
    name: 'assay_bus_lag',
    help: 'Messages that the whole group has not handled. Every replica reports the group: take the maximum.',
    labels: ['group'],
  })
  const parkings = metrics.gauge({
    name: 'assay_bus_parked',
    help: 'Parked messages of the group, which wait for an operator. Take the maximum over replicas.',
    labels: ['group'],
  })

  function counted(group: string, handle: (delivery: Delivery) => Promise<Outcome>) {
    return async (delivery: Delivery): Promise<Outcome> => {
      let outcome: Outcome['kind'] = 'retry'
      try {
        const answer = await handle(delivery)
        outcome = answer.kind
        return answer
      } finally {
        handled.add({ group, outcome })
      }
    }
  }

  /** Stops the reads of joined groups. */
  const leaving = new Set<() => void>()

  return {
    ...bus,
    async publish(topic, messages) {
      await bus.publish(topic, messages)
      published.add({ topic }, messages.length)
    },
    async subscribe(options) {
      const { group } = options
      const subscription = await bus.subscribe({ ...options, handle: counted(group, options.handle) })
      const onError = (error: unknown) =>
        logger.debug({ group, error: messageOf(error) }, 'the lag of a group is unknown')
      const lag = createPolledGauge(timers, () => subscription.lag(), onError)
      let looks = 0
      const lookAtParked = async () => (looks++ % readsPerParkedCount === 0 ? bus.parkedCount(group) : undefined)
      const parked = createPolledGauge(timers, lookAtParked, onError)
      lags.read({ group }, lag.value)
      parkings.read({ group }, parked.value)
      const leave = () => {
        lag.stop()
        parked.stop()
        leaving.delete(leave)
      }
      leaving.add(leave)
      return {
        lag: () => subscription.lag(),
        close() {
          leave()
          return subscription.close()
        },
      }
    },
    close() {
      for (const leave of leaving) leave()
      return bus.close()
    },
  }
}
