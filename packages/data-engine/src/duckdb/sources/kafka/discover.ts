import { createHash } from 'node:crypto'
import type { DiscoveredColumn, SkippedFiles, Source } from '../../../dataset.ts'
import type { MountContext } from '../../mount.ts'
import type { Emit } from '../emit.ts'
import { failedAt } from '../failures.ts'
import { anyMatcher } from '../files/glob.ts'
import { type Cluster, withCluster } from './cluster.ts'
import { copyMessages, newestMessages, readCopied } from './mount.ts'
import { newestRanges } from './ranges.ts'

type KafkaSource = Extract<Source, { sourceType: 'KAFKA' }>

async function topicsOf(cluster: Cluster, { topics }: KafkaSource): Promise<string[]> {
  const all = await cluster.topics()
  return topics === undefined ? all : all.filter(anyMatcher(topics))
}

/** The number of topics of a source. Throws `unprocessable` if the cluster cannot be reached. */
export async function probeTopics(
  context: MountContext,
  source: KafkaSource,
): Promise<{ tables: number; skipped: SkippedFiles }> {
  const topics = await withCluster(context, source.brokers, (cluster) => topicsOf(cluster, source))
  return { tables: topics.length, skipped: { total: 0, first: [] } }
}

/**
 * Crawls the topics of a cluster, in the order of their names. Columns are the fields of the newest messages; a topic
 * without messages has none.
 */
export async function discoverTopics(context: MountContext, source: KafkaSource, emit: Emit): Promise<void> {
  const { brokers } = source
  await withCluster(context, brokers, async (cluster) => {
    const topics = await topicsOf(cluster, source)
    emit({ kind: 'found', tables: topics.length })
    for (const topic of topics) {
      context.signal.throwIfAborted()
      if (!(await context.crawl.shouldOpen(topic))) continue
      const removeCopies = context.copies.since()
      try {
        const edges = await cluster.edges(topic)
        const copied = await copyMessages(context, cluster, topic, newestRanges(edges, newestMessages))
        const columns: DiscoveredColumn[] =
          copied.file === null ? [] : (await readCopied(context, topic, copied.file)).columns
        await emit({
          kind: 'table',
          path: [],
          name: topic,
          assetType: 'KAFKA_TOPIC',
          locator: {
            kind: 'topic',
            brokers: [...brokers],
            topic,
            columns: columns.map(({ name, dataType }) => ({ name, dataType })),
            fingerprint: createHash('sha256').update(JSON.stringify(edges)).digest('hex').slice(0, 32),
          },
          columns,
          rowCount: edges.reduce((sum, { low, high }) => sum + high - low, 0),
          sizeBytes: null,
          lastChangedAt: copied.newestAt === null ? null : new Date(copied.newestAt).toISOString(),
          fileCount: null,
          warnings: copied.warnings,
        })
      } catch (error) {
        context.signal.throwIfAborted()
        emit(failedAt(topic, error))
      } finally {
        await removeCopies()
      }
    }
  })
}
