import { publicTopics } from '@assay/contracts'
import type { MessageBus } from '@assay/message-bus'
import { z } from 'zod'

/** A record keeps the order of the fields. */
const published = z.record(z.string(), z.unknown())

const publicNames: ReadonlySet<string> = new Set(Object.values(publicTopics))

/**
 * The bus whose public events name this installation in their source: `/assay/<installation>/<service>`. Services know
 * only their own name, because the installation is a setting of the process.
 */
export function busOfInstallation(bus: MessageBus, installation: string): MessageBus {
  const sourceOf = (source: string) => `/assay/${installation}/${source.split('/').at(-1)}`
  return {
    ...bus,
    publish(topic, messages) {
      if (!publicNames.has(topic)) return bus.publish(topic, messages)
      const named = messages.map((message) => {
        const event = published.parse(message.data)
        return { ...message, data: { ...event, source: sourceOf(String(event.source)) } }
      })
      return bus.publish(topic, named)
    },
  }
}
