import { realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import type { LineWarnings } from '../../../dataset.ts'
import type { TopicLocator } from '../../../locators.ts'
import { openGuard } from '../../../path-access.ts'
import { quoteName } from '../../../sql/quote.ts'
import type { MountContext, Mounted } from '../../mount.ts'
import { refused } from '../failures.ts'
import { withKnownTypes } from '../files/known-types.ts'
import { createLocalTree } from '../files/local-tree.ts'
import { type FileReading, maxColumns, tooManyColumns } from '../files/reading.ts'
import { readFiles } from '../files/table.ts'
import { collectWarnings } from '../warnings.ts'
import { type Cluster, withCluster } from './cluster.ts'
import { lineOf } from './lines.ts'
import { newestRanges, type PartitionRange, positionText, type Ranges, rangesAfter, readPosition } from './ranges.ts'

/** Maximum number of messages that samples, checks of definitions and crawls read. They read the newest ones. */
export const newestMessages = 10_000

/** Messages of a topic, copied to a file. */
export interface CopiedMessages {
  /** Absolute path; null if there are no messages. */
  file: string | null
  /** The next offset of each partition. */
  next: Map<number, number>
  /** The time of the newest message in epoch milliseconds. Includes messages that are not rows. */
  newestAt: number | null
  warnings: LineWarnings
}

/** Copies messages to a file in the run's folder. Throws `too-large` if they exceed its temporary space. */
export async function copyMessages(
  context: MountContext,
  cluster: Cluster,
  topic: string,
  ranges: readonly PartitionRange[],
): Promise<CopiedMessages> {
  const total = ranges.reduce((sum, { from, to }) => sum + to - from, 0)
  const next = new Map(ranges.map(({ partition, from }) => [partition, from]))
  const warnings = collectWarnings()
  let [read, rows, newestAt] = [0, 0, Number.NEGATIVE_INFINITY]

  async function* lines(): AsyncGenerator<Uint8Array> {
    for (const range of ranges) {
      for await (const part of cluster.messages(topic, range)) {
        const found: Buffer[] = []
        for (const message of part.messages) {
          newestAt = Math.max(newestAt, Number(message.timestamp))
          const line = lineOf(message)
          if (line === null) continue
          if (Buffer.isBuffer(line)) found.push(line)
          else
            warnings.add({
              line: Number(message.offset),
              message: `partition ${range.partition}, offset ${message.offset}: ${line.problem}`,
            })
        }
        rows += found.length
        read += part.next - (next.get(range.partition) ?? range.from)
        next.set(range.partition, part.next)
        context.onProgress?.(total === 0 ? null : Math.min(1, read / total))
        if (found.length > 0) yield Buffer.concat(found)
      }
    }
  }

  const leftMb = context.copies.leftMb()
  const copy = await context.copies
    .write({ relative: topic }, '.ndjson', lines(), context.signal)
    .catch((error: unknown) => {
      if (!isAssayError(error, 'too-large')) throw error
      const sentence = `The messages of ${topic} need more than the ${leftMb} MB of temporary space.`
      throw new AssayError('too-large', `${sentence} Read a part of them by a marker, or raise the limit.`, {
        cause: error,
      })
    })
  return {
    file: rows === 0 ? null : copy.path,
    next,
    newestAt: Number.isFinite(newestAt) ? newestAt : null,
    warnings: warnings.all(),
  }
}

/**
 * The messages to read: those of the window. Without a window, the newest messages if a part of the rows suffices, else
 * all.
 */
async function rangesOf(context: MountContext, cluster: Cluster, topic: string): Promise<Ranges> {
  const edges = await cluster.edges(topic)
  const { topicWindow: window } = context
  if (window?.after !== undefined) {
    const after = readPosition(window.after)
    if (after === undefined)
      throw new AssayError(
        'unprocessable',
        'The marker of earlier runs is not a position in a topic. Set the marker again.',
      )
    return rangesAfter(edges, after)
  }
  if (window?.from !== undefined) {
    const first = await cluster.offsetsAt(topic, Date.parse(window.from))
    const ranges = edges.map(({ partition, low, high }) => ({
      partition,
      from: Math.max(low, first.get(partition) ?? high),
      to: high,
    }))
    return { ranges, lost: [] }
  }
  if (context.isLook) return { ranges: newestRanges(edges, newestMessages), lost: [] }
  return { ranges: edges.map(({ partition, low, high }) => ({ partition, from: low, to: high })), lost: [] }
}

/** Copied messages as a table. Types are inferred from all of them. */
export async function readCopied(context: MountContext, topic: string, file: string): Promise<FileReading> {
  const path = await realpath(file)
  const { size, mtimeMs } = await stat(path)
  const found = { relative: topic, path, format: 'NDJSON', size, mtimeMs } as const
  const set = {
    tree: createLocalTree(dirname(path), openGuard),
    name: topic,
    format: 'NDJSON',
    partitioned: false,
    csv: {},
    files: [found],
  } as const
  return readFiles(context, set, null)
}

/** A relation without rows. */
function emptyRelation(columns: readonly { name: string; dataType: string }[]): string {
  const values = columns.map(({ name, dataType }) => `CAST(NULL AS ${dataType}) AS ${quoteName(name)}`)
  return `(SELECT ${values.length === 0 ? 'NULL AS json' : values.join(', ')} WHERE false)`
}

/**
 * Makes messages of a topic readable. Each message with a JSON object is one row. The messages are copied first, so all
 * statements of a run read the same ones. Fields that the crawl found and that these messages lack are NULL.
 */
export async function mountTopic(context: MountContext, locator: TopicLocator): Promise<Mounted> {
  const { topic, brokers } = locator
  const { copied, lost } = await withCluster(context, brokers, async (cluster) => {
    const { ranges, lost } = await rangesOf(context, cluster, topic)
    return { copied: await copyMessages(context, cluster, topic, ranges), lost }
  })
  const warnings = collectWarnings()
  for (const { partition, from, to } of lost)
    warnings.add({
      line: from,
      message: `partition ${partition}: messages ${from} to ${to - 1} were removed before a run read them`,
    })
  warnings.addAll(copied.warnings)
  const mounted = { warnings: warnings.all(), allowedDirectories: [], reached: positionText(copied.next) }
  if (copied.file === null) return { ...mounted, relation: emptyRelation(locator.columns), columns: locator.columns }
  const guessed = await readCopied(context, topic, copied.file)
  const reading = await withKnownTypes(context.connection, guessed, locator.columns)
  const present = new Set(reading.columns.map(({ name }) => name))
  const absent = locator.columns.filter(({ name }) => !present.has(name))
  if (present.size + absent.length > maxColumns) throw refused(topic, tooManyColumns)
  const nulls = absent.map(({ name, dataType }) => `, CAST(NULL AS ${dataType}) AS ${quoteName(name)}`)
  return {
    ...mounted,
    relation: nulls.length === 0 ? reading.relation : `(SELECT *${nulls.join('')} FROM ${reading.relation})`,
    columns: [...reading.columns.map(({ name, dataType }) => ({ name, dataType })), ...absent],
    allowedPaths: reading.paths,
  }
}
