import { type MakeProcessor, parseStreamName } from '@assay/event-store'
import { type Logger, type Metrics, messageOf, type Timers } from '@assay/service-kit'

const lookMs = 15_000

/**
 * Processors with a gauge each, `assay_streams_set_aside_<processor>`: the streams of which it handles nothing until they
 * are taken up again. Every replica tells of all of them, whoever runs the processor. Looked up now and then; NaN until
 * the first look, and while the checkpoints do not answer. The log has an error when a stream is set aside.
 */
export function measuredProcessors(
  makeProcessor: MakeProcessor,
  { metrics, timers, logger }: { metrics: Metrics; timers: Timers; logger: Logger },
): MakeProcessor {
  return (options) => {
    const { name: processor } = options
    let seen = Number.NaN
    let isLooking = false
    let looks: { stop(): void } | undefined

    async function look(): Promise<void> {
      if (isLooking) return
      isLooking = true
      try {
        seen = (await inner.parked()).length
      } catch (error) {
        seen = Number.NaN
        logger.debug({ processor, error: messageOf(error) }, 'it is not known which streams are set aside')
      } finally {
        isLooking = false
      }
    }

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
          { processor, tenant, stream, revision, reason: messageOf(error) },
          'a stream is set aside: its events are not handled until it is taken up again',
        )
        void look()
      },
      onResumed(stream, events) {
        options.onResumed?.(stream, events)
        logger.info({ processor, stream, events }, 'a stream that was set aside is handled again')
        void look()
      },
    })
    metrics.gauge(`assay_streams_set_aside_${processor.replace(/[^A-Za-z0-9]/g, '_')}`, () => seen)

    return {
      ...inner,
      async start() {
        await inner.start()
        looks ??= timers.every(lookMs, () => void look())
        void look()
      },
      async stop() {
        looks?.stop()
        looks = undefined
        await inner.stop()
      },
    }
  }
}
