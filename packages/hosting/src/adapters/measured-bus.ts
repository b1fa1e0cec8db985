import type { MessageBus, Subscription } from '@assay/message-bus'
import { type Logger, type Metrics, messageOf, type Timers } from '@assay/service-kit'

const lookMs = 15_000
/** What is parked is looked up in every fourth look: it changes seldom and costs more. */
const looksPerParked = 4

/**
 * The bus, with two gauges for each group that is joined through it: `assay_bus_lag_<group>`, messages that the group has
 * not handled, and `assay_bus_parked_<group>`, messages that wait for an operator. Looked up now and then; NaN until the
 * first look, and while the cluster does not answer.
 */
export function measuredBus(
  bus: MessageBus,
  { metrics, timers, logger }: { metrics: Metrics; timers: Timers; logger: Logger },
): MessageBus {
  function measure(group: string, subscription: Subscription): { stop(): void } {
    const seen = { lag: Number.NaN, parked: Number.NaN }
    let looks = 0
    let isLooking = false
    const name = group.replace(/[^A-Za-z0-9]/g, '_')
    metrics.gauge(`assay_bus_lag_${name}`, () => seen.lag)
    metrics.gauge(`assay_bus_parked_${name}`, () => seen.parked)

    async function look(): Promise<void> {
      if (isLooking) return
      isLooking = true
      try {
        seen.lag = await subscription.lag()
        if (looks++ % looksPerParked === 0) seen.parked = (await bus.parked(group)).length
      } catch (error) {
        seen.lag = Number.NaN
        logger.debug({ group, error: messageOf(error) }, 'the lag of a group is not known')
      } finally {
        isLooking = false
      }
    }
    void look()
    return timers.every(lookMs, () => void look())
  }

  return {
    publish: (topic, messages) => bus.publish(topic, messages),
    async subscribe(options) {
      const subscription = await bus.subscribe(options)
      const measuring = measure(options.group, subscription)
      return {
        lag: () => subscription.lag(),
        close() {
          measuring.stop()
          return subscription.close()
        },
      }
    },
    parked: (group) => bus.parked(group),
    replayParked: (group, key) => bus.replayParked(group, key),
    close: () => bus.close(),
  }
}
