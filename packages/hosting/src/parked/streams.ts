import type { Checkpoints } from '@assay/event-store'
import { AssayError, messageOf } from '@assay/service-kit/errors'

export type StreamsCommand =
  | { verb: 'list-streams' }
  | { verb: 'replay-streams'; processor: string; stream?: string | undefined }

/** Where processors keep their parked streams. */
export interface Place {
  name: string
  checkpoints: Pick<Checkpoints, 'parkedByAll' | 'requestRetry'>
}

type OpenPlace = (name: string) => Promise<Place & { close(): Promise<void> }>

const services = ['gateway', 'catalog', 'policy', 'execution', 'sampling', 'notification']

/** The databases of all services, derived from that of one of them, or only that one if it is not a service's. Pure. */
export function databasesOf(known: string | undefined): readonly string[] {
  if (known === undefined) return services.map((service) => `assay_${service}`)
  const own = services.find((service) => known.endsWith(`_${service}`))
  if (own === undefined) return [known]
  return services.map((service) => `${known.slice(0, -own.length)}${service}`)
}

/**
 * Lists parked streams, one JSON object per line, or requests a retry from the process that runs their processor, which
 * checks every few seconds. Handles one store after the other; stores that do not answer are reported at the end.
 * Errors: `unavailable`, `not-found` if no parked stream matches.
 */
export async function* runStreams(
  places: readonly string[],
  open: OpenPlace,
  command: StreamsCommand,
): AsyncIterable<string> {
  const isWanted = (name: string, stream: string): boolean =>
    command.verb === 'list-streams' || (name === command.processor && (command.stream ?? stream) === stream)
  const silent: string[] = []
  let count = 0
  for (const name of places) {
    try {
      const place = await open(name)
      try {
        const all = await place.checkpoints.parkedByAll()
        for (const { name: processor, ...parked } of all.filter((each) => isWanted(each.name, each.stream))) {
          if (command.verb === 'replay-streams' && !(await place.checkpoints.requestRetry(processor, parked.stream)))
            continue
          count += 1
          if (command.verb === 'list-streams') yield `${JSON.stringify({ processor, ...parked })}\n`
        }
      } finally {
        await place.close()
      }
    } catch (error) {
      silent.push(`${name}: ${messageOf(error)}`)
    }
  }
  if (silent.length > 0)
    throw new AssayError('unavailable', `The parked streams there are unknown. ${silent.join('; ')}`)
  const streams = `${count} ${count === 1 ? 'stream is' : 'streams are'}`
  if (command.verb === 'list-streams') {
    yield `${streams} parked.\n`
    return
  }
  if (count === 0) throw new AssayError('not-found', `${command.processor} has no such parked stream. List them first.`)
  yield `${streams} asked for. List them again in a minute: a stream that is no longer listed has resumed; the others have a new reason.\n`
}
