import { setImmediate } from 'node:timers/promises'
import {
  type DataEngine,
  type Discovered,
  isDatabaseSource,
  isFileSource,
  isOfDatabase,
  isSetOfFiles,
  type LineWarnings,
} from '@assay/data-engine'
import type { CommandContext } from '@assay/event-store'
import { isAssayError, messageOf } from '@assay/service-kit/errors'
import { assemblyAggregate } from '../assembly/aggregate.ts'
import type { KnownAssembly } from '../assembly/assembly.ts'
import type { AssetTableDocument } from '../asset/collections.ts'
import { flatColumns } from '../asset/column-diff.ts'
import type { CrawlError } from '../crawl/crawl.ts'
import { assetTypeNamed } from '../types/asset-types.ts'
import { withAssetOptions } from './asset-options.ts'
import { type Containers, createContainers } from './containers.ts'
import { createFailedPaths } from './failed-paths.ts'
import { createLimiter } from './limiter.ts'
import { createObserver, type ObserverTools } from './observer.ts'
import type { CrawlProgress } from './progress.ts'
import { vanishAssets } from './vanishing.ts'
import { createWrittenTables } from './written-tables.ts'

/** Maximum number of concurrent appends: enough for the store's group commit, few enough to bound memory. */
const tablesAtOnce = 16
/** Items processed before other work gets a turn: a few milliseconds if nothing changed. */
const itemsPerTurn = 16

type DiscoveredTable = Extract<Discovered, { kind: 'table' }>

export interface CrawlTools extends ObserverTools {
  engine: Pick<DataEngine, 'discover'>
}

/** A failure of the store, not of a table: the crawl cannot continue. */
function isFatal(error: unknown): boolean {
  return !isAssayError(error) || ['unavailable', 'unknown-outcome', 'internal', 'conflict'].includes(error.code)
}

/** The items of `source`, ending with the signal's reason as soon as it aborts, even if the source does not answer. */
async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]()
  // One promise per item: a single long-lived promise would collect a reaction for every item.
  let giveUp: (reason: unknown) => void = () => {}
  const abort = () => giveUp(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    while (true) {
      signal.throwIfAborted()
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        giveUp = reject
        iterator.next().then(resolve, reject)
      })
      if (next.done === true) return
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', abort)
    // Not awaited: a hanging source would delay the end of the crawl.
    iterator.return?.().then(undefined, () => {})
  }
}

const linesShown = 10

/** One entry for all malformed lines of a file. */
function lineWarningsOf(path: string, { total, first }: LineWarnings): CrawlError {
  const lines = first.slice(0, linesShown)
  const [one] = lines
  const example = one === undefined ? '' : `: line ${one.line}: ${one.message}`
  const sentence = total === 1 ? `one line is malformed${example}` : `${total} lines are malformed, first${example}`
  return { path, message: sentence, count: total, lines }
}

/** Whether a table consists of files with other names: partitions, or the files that a glob matches. */
function isSet({ name, facts }: AssetTableDocument): boolean {
  return facts !== null && isSetOfFiles(facts.locator, name)
}

/**
 * Crawls an assembly's whole source and writes the changes. Rejects if the source or the store fails, or when `signal`
 * aborts; then nothing is marked as vanished. Memory: some 40 bytes for each table and folder seen (their ids, to
 * detect vanished ones) and an entry for each folder and each database table; columns are kept only while their table
 * is written.
 */
export async function runCrawl(
  tools: CrawlTools,
  crawl: {
    tenant: string
    assembly: KnownAssembly
    progress: CrawlProgress
    context: CommandContext
    signal: AbortSignal
    /** Called after each item of the source. */
    onTaken(): void
    /** Rejects if another worker may have the crawl. */
    confirm(): Promise<void>
  },
): Promise<void> {
  const { tenant, assembly, progress, context, signal, onTaken, confirm } = crawl
  const { counts } = progress
  const { name: assemblyName, source } = assembly.definition
  const placement = { assemblyId: assembly.id, assemblyName, sourceTypeId: assembly.sourceTypeId }
  const seen = new Set<number>()
  const unread = createFailedPaths(isFileSource(source) ? ['/'] : ['.', '/'])
  const limiter = createLimiter(tablesAtOnce)
  let failure: { error: unknown } | undefined

  const alive = new Map<number, Promise<boolean>>()
  async function lives(id: number): Promise<boolean> {
    return (await tools.handler.load(assemblyAggregate, tenant, id)).state.status === 'active'
  }
  function isAlive(id: number): Promise<boolean> {
    const known = alive.get(id) ?? lives(id)
    alive.set(id, known)
    return known
  }

  const { id: assemblyId, uidPrefix } = assembly
  const observer = createObserver(tools, { tenant, assemblyId, uidPrefix, isAlive, context })
  const onSeen = (id: number) => void seen.add(id)
  const containers: Containers = createContainers({ observer, sourceType: source.sourceType, placement, onSeen })
  const databaseTables = createWrittenTables(observer)

  function failed(path: string, message: string): void {
    unread.add(path)
    progress.addError({ path, message })
  }

  /** An error of one table fails only that table; an error of the store fails the crawl. */
  async function guarded(path: readonly string[], work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (isFatal(error)) failure ??= { error }
      else {
        counts.failed += 1
        counts.done += 1
        failed(path.join('/'), messageOf(error))
      }
    }
  }

  async function table(item: DiscoveredTable, sourceIds?: () => Promise<number[]>): Promise<number> {
    const { path, name, locator, rowCount, sizeBytes, lastChangedAt, fileCount, warnings } = item
    const parts = [...path, name]
    const { id, outcome, revision } = await observer.observe({
      kind: 'table',
      parts,
      placement: {
        ...placement,
        parentId: await containers.idOf(path),
        assetTypeId: assetTypeNamed(item.assetType).id,
      },
      columns: flatColumns(item.columns),
      facts: {
        ...{ rowCount, sizeBytes, lastChangedAt, fileCount, locator },
        ...(sourceIds === undefined ? {} : { sourceIds: await sourceIds() }),
        ...(item.declared === undefined ? {} : { declared: item.declared }),
      },
    })
    seen.add(id)
    if (revision !== undefined) progress.wrote(id, revision)
    if (outcome !== 'unchanged') counts[outcome] += 1
    counts.done += 1
    for (const message of item.notes ?? []) progress.addError({ path: parts.join('/'), message })
    if (warnings.total > 0) progress.addError(lineWarningsOf(parts.join('/'), warnings))
    return id
  }

  async function take(item: Discovered): Promise<void> {
    switch (item.kind) {
      case 'found':
        counts.found = Math.max(counts.found, item.tables)
        return
      case 'skipped':
        // A table that may not be read at the moment still exists.
        if (isDatabaseSource(source)) for (const { path } of item.first) unread.add(path)
        return progress.setSkipped(item)
      case 'failed':
        counts.failed += 1
        counts.done += 1
        return failed(item.path, item.message)
      case 'container': {
        const parts = [...item.path, item.name]
        return limiter.begin(() => guarded(parts, async () => void (await containers.idOf(parts, item.assetType))))
      }
      case 'table': {
        const parts = [...item.path, item.name]
        const sourceIds = item.reads && databaseTables.idsOf(item.reads)
        const written = () => table(item, sourceIds)
        const write = isOfDatabase(item.locator) ? databaseTables.begin(parts, written) : written
        return limiter.begin(() => guarded(parts, async () => void (await write())))
      }
      default:
        return item satisfies never
    }
  }

  let taken = 0
  try {
    const asked = await withAssetOptions(tools.documents, { tenant, assemblyId }, source)
    for await (const item of untilAborted(
      tools.engine.discover(asked, { tenant, signal, sourceId: assemblyId }),
      signal,
    )) {
      await take(item)
      onTaken()
      taken += 1
      // An embedded store answers synchronously, so let other requests run here.
      if (taken % itemsPerTurn === 0) await setImmediate()
      if (failure !== undefined) break
    }
  } finally {
    // Writes in flight finish in any case, so that the counts are correct.
    await limiter.idle()
    counts.found = Math.max(counts.found, counts.done)
  }
  if (failure !== undefined) throw failure.error
  // A process that was paused does not know what another instance has found since.
  await confirm()
  await vanishAssets(tools, {
    tenant,
    assemblyId,
    reason: 'not-found-by-crawl',
    // Views that people created are not part of the source.
    keep: (asset) =>
      asset.facts?.locator.kind === 'query' ||
      seen.has(asset.id) ||
      unread.protects(asset.naturalPath.slice(2), isSet(asset)),
    context,
    signal,
    onVanished: (id, revision) => {
      counts.removed += 1
      progress.wrote(id, revision)
    },
  })
}
