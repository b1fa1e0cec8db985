import type { Checkpoints } from '@assay/event-store'
import { AssayError, messageOf } from '@assay/service-kit/errors'

export type StreamsCommand =
  | { verb: 'list-streams' }
  | { verb: 'replay-streams'; processor: string; stream?: string | undefined }

/** A store with checkpoints and parked streams. */
export interface CheckpointStore {
  name: string
  checkpoints: Pick<Checkpoints, 'parkedByAll' | 'requestRetry'>
}

type OpenStore = (name: string) => Promise<CheckpointStore & { close(): Promise<void> }>

const services = ['gateway', 'catalog', 'policy', 'execution', 'sampling', 'notification']

/**
 * The databases of all services, derived from the name of one of them. A name of another form stands only for itself.
 * Pure.
 */
export function databasesOf(known: string | undefined): readonly string[] {
  if (known === undefined) return services.map((service) => `assay_${service}`)
  const own = services.find((service) => known.endsWith(`_${service}`))
  if (own === undefined) return [known]
  return services.map((service) => `${known.slice(0, -own.length)}${service}`)
}

/**
 * Lists parked streams, one JSON object per line, or requests a retry. The process that runs the stream's processor
 * checks for such requests every few seconds. Handles one store after the other, and reports stores that do not answer
 * at the end. Errors: `unavailable`, and `not-found` if no parked stream matches.
 */
export async function* runStreams(
  stores: readonly string[],
  open: OpenStore,
  command: StreamsCommand,
): AsyncIterable<string> {
  const isWanted = (name: string, stream: string): boolean =>
    command.verb === 'list-streams' || (name === command.processor && (command.stream ?? stream) === stream)
  const failures: string[] = []
  let count = 0
  for (const name of stores) {
    try {
      const store = await open(name)
      try {
        const all = await store.checkpoints.parkedByAll()
        for (const { name: processor, ...parked } of all.filter((each) => isWanted(each.name, each.stream))) {
          if (command.verb === 'replay-streams' && !(await store.checkpoints.requestRetry(processor, parked.stream)))
            continue
          count += 1
          if (command.verb === 'list-streams') yield `${JSON.stringify({ processor, ...parked })}\n`
        }
      } finally {
        await store.close()
      }
    } catch (error) {
      failures.push(`${name}: ${messageOf(error)}`)
    }
  }
  if (failures.length > 0)
    throw new AssayError(
      'unavailable',
      `Some stores did not answer, so their parked streams are unknown. ${failures.join('; ')}`,
    )
  if (command.verb === 'list-streams') {
    yield `${count} ${count === 1 ? 'stream is' : 'streams are'} parked.\n`
    return
  }
  if (count === 0) throw new AssayError('not-found', `${command.processor} has no such parked stream. List them first.`)
  const retries = count === 1 ? 'retry was' : 'retries were'
  yield `${count} ${retries} requested. List the streams again in a minute: one that is no longer listed has resumed; the others have a new reason.\n`
}
