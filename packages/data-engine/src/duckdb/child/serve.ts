import { mkdir, realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AssayError } from '@assay/service-kit/errors'
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { SideName, SideRequest } from '../../compared-source.ts'
import type { DatasetLocator, Discovered } from '../../dataset.ts'
import { createPathGuard, openGuard } from '../../path-access.ts'
import { rewrite } from '../kept-rows/rewrite.ts'
import type { MountContext } from '../mount.ts'
import {
  type AnswerFile,
  type Answers,
  askedFile,
  type FromChild,
  keptFolder,
  type ToChild,
  type Work,
} from '../protocol.ts'
import {
  createCopies,
  createCrawlPosition,
  createRunObjects,
  createStores,
  discoverSource,
  hasBrokenDown,
  probeSource,
} from '../sources/index.ts'
import { compare } from './compare.ts'
import { connect } from './database.ts'
import { describe } from './describe.ts'
import { engineFailure } from './failure.ts'
import { createHardLinks } from './hard-links.ts'
import { lastChange } from './last-change.ts'
import { listValues } from './listed.ts'
import { measure } from './measure.ts'
import { measurePeriods } from './periods.ts'
import { profile } from './profile.ts'
import { profileAsked } from './profile-asked.ts'
import { hiddenFolders, type RunContext } from './session.ts'
import { prepare, sample } from './short-tasks.ts'
import { take, takeAsked } from './take.ts'
import { touches } from './touches.ts'

/** The process of a child, or a stand-in for it. */
export interface ChildHost {
  /** The engine instance of the run. */
  instance(): Promise<DuckDBInstance>
  /** Calls `sent` when the message has left this process or cannot be sent. */
  send(message: FromChild, sent?: () => void): void
  /**
   * The work has ended and its connections are closed. ANSWERED: the child may do more work. FAILED: it exits.
   * BROKEN_DOWN: it exits with code 1, and another child continues its crawl.
   */
  ended(how: 'ANSWERED' | 'FAILED' | 'BROKEN_DOWN'): void
}

const resolvePath = (path: string) => realpath(path)

/**
 * Maximum number of items that were sent and that the parent has not used yet. It bounds the memory of both processes.
 */
const maxAhead = 256

function datasetsOf(work: Work): DatasetLocator[] {
  if (work.kind === 'compare') return [work.plan.left.dataset, work.plan.right.dataset]
  if ('plan' in work) return [work.plan.dataset]
  return 'dataset' in work ? [work.dataset] : []
}

/** Returns the handler of the parent's messages for one piece of work. It does the work and sends the outcome. */
export function serveOnce({ instance, send, ended }: ChildHost): (message: ToChild) => void {
  const abort = new AbortController()
  const connections: DuckDBConnection[] = []
  let ahead = 0
  let resume: () => void = () => {}
  const answers = new Map<number, PromiseWithResolvers<number>>()

  function end(how: Parameters<typeof ended>[0]): void {
    for (const connection of connections) connection.closeSync()
    ended(how)
  }

  /** Asks the engine that reads a side of a comparison. */
  async function ask(tempFolder: string, side: SideName, request: SideRequest): Promise<AnswerFile> {
    const id = answers.size + 1
    const answered = Promise.withResolvers<number>()
    answers.set(id, answered)
    send({ kind: 'asked', id, side, request })
    abort.signal.throwIfAborted()
    return { longest: await answered.promise, file: askedFile(tempFolder, id) }
  }

  async function sendDiscovered(found: Discovered): Promise<void> {
    ahead += 1
    await new Promise<void>((sent) => send({ kind: 'discovered', found }, sent))
    while (ahead > maxAhead && !abort.signal.aborted) {
      await new Promise<void>((resolve) => {
        resume = resolve
      })
    }
  }

  /** Waits until the message is sent, because the next step may kill the process. */
  const sendReading = (path: string, withinMs: number): Promise<void> =>
    new Promise((sent) => send({ kind: 'reading', path, withinMs }, sent))

  async function answer(context: RunContext, work: Work): Promise<Answers[keyof Answers]> {
    const mountContext = async (after?: string, sourceId?: number): Promise<MountContext> => {
      const connection = await connect(context.instance, context.limits, context.tempFolder)
      context.onConnection(connection)
      const copies = createCopies(context.tempFolder, context.limits.maxTempMb)
      const { signal, stores } = context
      return {
        connection,
        tempFolder: context.tempFolder,
        startedAt: context.startedAt,
        copies,
        guard: context.guard,
        brokers: context.brokers,
        stores,
        objects: createRunObjects(connection, { copies, signal, isLook: false }),
        sourceId,
        crawl: createCrawlPosition(after, sendReading),
        signal,
      }
    }
    switch (work.kind) {
      case 'touches':
        return touches(context, work.texts)
      case 'measure': {
        const folder = keptFolder(context.tempFolder)
        await mkdir(folder)
        return measure(context, work.plan, folder)
      }
      case 'compare': {
        const folder = keptFolder(context.tempFolder)
        await mkdir(folder)
        return compare(context, work, folder)
      }
      case 'take': {
        const folder = keptFolder(context.tempFolder)
        await mkdir(folder)
        return work.source === undefined
          ? take(context, work.plan, folder)
          : takeAsked(context, work.plan, work.source, folder)
      }
      case 'values':
        return listValues(context, work.plan)
      case 'describe':
        return describe(context, work)
      case 'last-change':
        return lastChange(context, work.plan)
      case 'profile':
        return work.source === undefined ? profile(context, work.plan) : profileAsked(context, work.plan, work.source)
      case 'periods':
        return measurePeriods(context, work.plan)
      case 'prepare':
        return prepare(context, work)
      case 'sample':
        return sample(context, work)
      case 'discover':
        await discoverSource(await mountContext(work.after, work.sourceId), work.source, sendDiscovered)
        return null
      case 'rewrite':
        return rewrite(context, work.request, work.outputFile)
      case 'probe':
        return probeSource(await mountContext(), work.source)
      default:
        return work satisfies never
    }
  }

  async function run(message: Extract<ToChild, { kind: 'run' }>): Promise<void> {
    const { work, limits, tempFolder, access, brokers = null, stores: targets = [] } = message
    const stores = createStores(targets, abort.signal)
    try {
      const context: RunContext = {
        instance: await instance(),
        limits,
        tempFolder,
        guard: access === undefined ? openGuard : await createPathGuard(access, { resolvePath, createHardLinks }),
        brokers,
        stores,
        signal: abort.signal,
        ask: (side, asked) => ask(tempFolder, side, asked),
        progress: (progress) => send({ kind: 'progress', progress }),
        startedAt: message.startedAt,
        startedTick: performance.now(),
        onConnection: (made) => {
          connections.push(made)
          if (abort.signal.aborted) made.interrupt()
        },
      }
      const result = await answer(context, work)
      send({ kind: 'done', answer: result }, () => end('ANSWERED'))
    } catch (error) {
      // The parent starts another process for all tables after the one at which this process ended.
      if (work.kind === 'discover' && hasBrokenDown(error)) return end('BROKEN_DOWN')
      const output = work.kind === 'rewrite' ? [dirname(work.request.file), dirname(work.outputFile)] : []
      const failure = engineFailure(error, hiddenFolders(tempFolder, datasetsOf(work), output))
      send({ kind: 'failed', code: failure.code, message: failure.message }, () => end('FAILED'))
    } finally {
      stores.close()
    }
  }

  return (message) => {
    if (message.kind === 'run') {
      void run(message)
      return
    }
    if (message.kind === 'taken') {
      ahead -= 1
      resume()
      return
    }
    if (message.kind === 'answered') {
      answers.get(message.id)?.resolve(message.longest)
      return
    }
    if (message.kind === 'not-answered') {
      const { code, message: sentence } = message.failure
      answers.get(message.id)?.reject(new AssayError(code, sentence))
      return
    }
    abort.abort()
    for (const answered of answers.values()) answered.reject(abort.signal.reason)
    resume()
    for (const connection of connections) connection.interrupt()
  }
}
