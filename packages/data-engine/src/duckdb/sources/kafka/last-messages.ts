import type { TopicLocator } from '../../../locators.ts'
import type { MountContext } from '../../mount.ts'
import { withCluster } from './cluster.ts'
import { newestRanges } from './ranges.ts'

const newestTimes = 1000

/** The number of stored messages of a topic, and the times of its newest ones (epoch milliseconds). */
export async function lastMessages(
  context: Pick<MountContext, 'brokers' | 'signal'>,
  { brokers, topic }: TopicLocator,
): Promise<{ stored: number; times: number[] }> {
  return withCluster(context, brokers, async (cluster) => {
    const edges = await cluster.edges(topic)
    const times: number[] = []
    for (const range of newestRanges(edges, newestTimes)) {
      for await (const { messages } of cluster.messages(topic, range))
        times.push(...messages.map(({ timestamp }) => Number(timestamp)))
    }
    return { stored: edges.reduce((sum, { low, high }) => sum + high - low, 0), times }
  })
}
