import { z } from 'zod'
import { incidentKinds } from '../../../packages/contracts/src/index.ts'
import { createCommandHandler, type RecordedEvent } from '../../../packages/event-store/src/index.ts'
import { busOfInstallation } from '../../../packages/hosting/src/index.ts'
import type { Effect, ExpectedMessage } from '../../../packages/testkit/src/index.ts'
import { createPublisher as createCatalogPublisher } from '../../../services/catalog/src/publishing/publisher.ts'
import { createPublisher as createExecutionPublisher } from '../../../services/execution/src/publishing/publisher.ts'
import { createVersions } from '../../../services/execution/src/versions/versions.ts'
import { createPublisher as createKeyPublisher } from '../../../services/gateway/src/publishing/publisher.ts'
import { createPublisher as createNotificationPublisher } from '../../../services/notification/src/publishing/publisher.ts'
import { triggerOf } from '../../../services/notification/src/triggers/trigger-of.ts'
import { createPublisher as createPolicyPublisher } from '../../../services/policy/src/publishing/publisher.ts'
import { createPublisher as createSamplingPublisher } from '../../../services/sampling/src/publishing/publisher.ts'
import { effectName } from './from-log.ts'
import type { LogCopy } from './log-copy.ts'
import { readingOnly, type Sent } from './reading-only.ts'

/** The messages that the publishers of all services would publish from the log without faults. */
export async function expectedMessages(log: LogCopy): Promise<readonly Sent[]> {
  const { deps: reading, sent, commit, processAll } = readingOnly(log)
  // The installations of these tests have the default name.
  const deps = { ...reading, bus: busOfInstallation(reading.bus, 'default') }
  const handler = createCommandHandler({ ...deps, commit })
  createCatalogPublisher(deps)
  createPolicyPublisher(deps)
  // No column is protected in the installations of these tests.
  const documents = { get: async () => undefined, find: async () => ({ documents: [], count: 0 }) }
  const versions = createVersions({ documents, commands: handler })
  createExecutionPublisher({ ...deps, documents, commands: handler, versions })
  createSamplingPublisher(deps)
  createNotificationPublisher(deps)
  createKeyPublisher(deps)
  await processAll()
  return sent
}

export function asExpected(sent: readonly Sent[]): ExpectedMessage[] {
  return sent.map(({ topic, message: { id, key, data } }) => ({ topic, id, key, body: JSON.stringify(data) }))
}

/** The event that starts a watch. */
const watched = z.object({ assetId: z.int(), user: z.string(), at: z.string() })

/** The notifications that watchers must get for the public events. Nobody stops watching during the load. */
export function expectedEffects(events: readonly RecordedEvent[], sent: readonly Sent[]): Effect[] {
  const watching = events.filter(({ type }) => type === 'AssetWatched').map(({ data }) => watched.parse(data))
  const followed = sent.filter(({ topic }) =>
    /^assay\.(catalog\.assets|policy\.policies|execution\.executions)$/.test(topic),
  )
  return followed.flatMap(({ message }) => {
    const { eventId, contents } = triggerOf(message.data)
    return contents.flatMap(({ kind, assetId, watchedId = assetId, at }) =>
      // Whether a recovery is due depends on the alarms before it; incidents go only to watches that name them.
      assetId === null || kind === 'EXECUTION_RECOVERED' || incidentKinds.has(kind)
        ? []
        : watching
            .filter((watch) => watch.assetId === watchedId && at >= watch.at)
            .map(({ user }) => ({ cause: effectName(eventId, assetId, user) })),
    )
  })
}
