import { type MakeProcessor, parseStreamName } from '@assay/event-store'
import { type Logger, type Metrics, messageOf, type Timers } from '@assay/service-kit'
import { createPolledGauge, type PolledGauge } from './polled-gauge.ts'

/**
 * Processors with metrics for their lag and parked streams. Every replica reports these metrics, even if another
 * replica runs the processor. They are NaN until the first read, and while the stores do not answer. A parked stream is
 * logged as an error.
 */
export function measuredProcessors(
  makeProcessor: MakeProcessor,
  { metrics, timers, logger }: { metrics: Metrics; timers: Timers; logger: Logger },
): MakeProcessor {
  const lags = metrics.gauge({
    name: 'assay_processor_lag',
    help: 'Events that wait for the processor, counted up to 10000. Take the maximum over replicas.',
    labels: ['processor'],
  })
  const parkings = metrics.gauge({
    name: 'assay_processor_parked_streams',
    help: 'Parked streams, whose events the processor skips until an operator resumes them. Take the maximum over replicas.',
    labels: ['processor'],
  })

  return (options) => {
    const { name: processor } = options
    let looks: { lag: PolledGauge; parked: PolledGauge } | undefined
    const onUnknown = (error: unknown) =>
      logger.debug({ processor, error: messageOf(error) }, 'the lag of a processor is unknown')

    const inner = makeProcessor({
      ...options,
      onError(error, about) {
        const { event, parked } = about
        if (!parked || event === undefined) {
          options.onError(error, about)
          return
        }
        const { stream, revision } = event
        const tenant = parseStreamName(stream)?.tenant
        logger.error(
          { processor, tenant, stream, revision, parked: true, reason: messageOf(error) },
          'a stream was parked: its events are skipped until an operator resumes it',
        )
        looks?.parked.readNow()
      },
      onResumed(stream, events) {
        options.onResumed?.(stream, events)
        logger.info({ processor, stream, events }, 'a parked stream was resumed')
        looks?.parked.readNow()
      },
    })
    lags.read({ processor }, () => looks?.lag.value() ?? Number.NaN)
    parkings.read({ processor }, () => looks?.parked.value() ?? Number.NaN)

    return {
      ...inner,
      async start() {
        await inner.start()
        looks ??= {
          lag: createPolledGauge(timers, () => inner.lag(), onUnknown),
          parked: createPolledGauge(timers, async () => (await inner.parked()).length, onUnknown),
        }
      },
      async stop() {
        looks?.lag.stop()
        looks?.parked.stop()
        looks = undefined
        await inner.stop()
      },
    }
  }
}
