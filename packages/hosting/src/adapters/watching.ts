import type { MessageBus } from '@assay/message-bus'
import { AssayError, type Logger, type Outages, type WatchedServer } from '@assay/service-kit'
import type { Around } from './around.ts'

/** Tells `outages` of each call to a server. */
export function watching(outages: Outages | undefined, name: string): Around {
  const server = outages?.server(name)
  return (_call, work) => server?.watch(work()) ?? work()
}

/** The bus, watched by the calls that the cluster answers. */
export function watchedBus(bus: MessageBus, server: WatchedServer): MessageBus {
  return {
    publish: (topic, messages) => server.watch(bus.publish(topic, messages)),
    async subscribe(options) {
      const subscription = await server.watch(bus.subscribe(options))
      return { lag: () => server.watch(subscription.lag()), close: () => subscription.close() }
    },
    parked: (group) => server.watch(bus.parked(group)),
    parkedCount: (group) => server.watch(bus.parkedCount(group)),
    replayParked: (group, key) => server.watch(bus.replayParked(group, key)),
    close: () => bus.close(),
  }
}

/** What Kafka's driver says of connections that fail, one line a try. Refusals by a broker that answers are no outage. */
const connecting = /^(Connection (error|timeout)|Failed to connect|Closed connection)/

/** What the driver puts in front of an error that it has told of already. */
const again = /^Crash: \w+: /

/** For the driver of Kafka: its lines about connections are failures of the server, and written at level debug. */
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
        // Some lines have their reason in the message only.
      } else logger.warn({ ...fields, error }, message)
    },
  }
}
