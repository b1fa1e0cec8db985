import type { MessageBus } from '@assay/message-bus'
import { AssayError, type Logger, type Outages, type WatchedServer } from '@assay/service-kit'
import type { Around } from './around.ts'

/** Reports each call to a server to `outages`. */
export function watching(outages: Outages | undefined, name: string): Around {
  const server = outages?.server(name)
  return (_call, work) => server?.watch(work()) ?? work()
}

/** The bus, with calls reported to `server`. */
export function watchedBus(bus: MessageBus, server: WatchedServer): MessageBus {
  return {
    publish: (topic, messages) => server.watch(bus.publish(topic, messages)),
    async subscribe(options) {
      const subscription = await server.watch(bus.subscribe(options))
      return { lag: () => server.watch(subscription.lag()), close: () => subscription.close() }
    },
    parked: (group) => server.watch(bus.parked(group)),
    parkedCount: (group) => server.watch(bus.parkedCount(group)),
    replayParked: (...about) => server.watch(bus.replayParked(...about)),
    close: () => bus.close(),
  }
}

/**
 * Log lines of Kafka's driver about failed connections, one per attempt. If a broker answers with a refusal, this is
 * not an outage.
 */
const connecting = /^(Connection (error|timeout)|Failed to connect|Closed connection)/

/** The driver's prefix for an error that it has already reported. */
const again = /^Crash: \w+: /

/** A logger for the Kafka driver. Lines about connections count as failures of the server and are logged as debug. */
export function driverLogger(logger: Logger, server: WatchedServer): Logger {
  return {
    ...logger,
    warn(fields, message) {
      if (!('part' in fields)) {
        logger.warn(fields, message)
        return
      }
      const error = 'error' in fields && typeof fields.error === 'string' ? fields.error : message.replace(again, '')
      if (connecting.test(message)) {
        server.failed(new AssayError('unavailable', error))
        logger.debug(fields, message)
        // Some lines have their reason only in the message.
      } else logger.warn({ ...fields, error }, message)
    },
  }
}
