import type { MessageBus, Parked } from '@assay/message-bus'
import { AssayError } from '@assay/service-kit/errors'
import type { StreamsCommand } from './streams.ts'

export const usage = `Usage: npm run parked -- list [<topic>] [<group>]
       npm run parked -- replay <topic> <group> [<key>]
       npm run parked -- drop <topic> <group> <key>
       npm run parked -- list streams
       npm run parked -- replay stream <processor> [<stream>]

Lists parked messages with their reasons, or releases those that a group has parked of a topic: all of them, or those of
one key. Later messages of a key follow its earlier ones. \`drop\` drops the first one of a key and releases the others. The same for streams of events that a processor has parked: all
of them, or one. \`list\` alone lists both.
`

export type MessagesCommand =
  | { verb: 'list'; topic?: string | undefined; group?: string | undefined }
  | { verb: 'replay'; topic: string; group: string; key?: string | undefined }
  | { verb: 'drop'; topic: string; group: string; key: string }

export type ParkedCommand = MessagesCommand | StreamsCommand

/** The parsed arguments of the command; `undefined` if they are invalid. Pure. */
export function parkedCommandOf(words: readonly string[]): ParkedCommand | undefined {
  const [verb, topic, group, key, ...more] = words
  if (more.length > 0 || words.some((word) => word.startsWith('--'))) return undefined
  if (verb === 'list' && topic === 'streams') return group === undefined ? { verb: 'list-streams' } : undefined
  if (verb === 'replay' && topic === 'stream')
    return group === undefined ? undefined : { verb: 'replay-streams', processor: group, stream: key }
  if (verb === 'list' && key === undefined) return { verb, topic, group }
  if (verb === 'replay' && topic !== undefined && group !== undefined) return { verb, topic, group, key }
  if (verb === 'drop' && topic !== undefined && group !== undefined && key !== undefined)
    return { verb, topic, group, key }
  return undefined
}

function line({ topic, group, message, reason }: Parked): string {
  const { key, id, type, tenant, time } = message
  return `${JSON.stringify({ topic, group, key, id, type, tenant, time, reason })}\n`
}

/** The parked messages in a bus, or in the store of a bus. */
type ParkedMessages = Pick<MessageBus, 'parked' | 'replayParked'>

/** The parked messages in several stores. All messages of one group are in the same store. */
export function messagesOf(stores: readonly ParkedMessages[]): ParkedMessages {
  return {
    async parked(group) {
      return (await Promise.all(stores.map((store) => store.parked(group)))).flat()
    },
    async replayParked(...about) {
      const counts = await Promise.all(stores.map((store) => store.replayParked(...about)))
      return counts.reduce((sum, count) => sum + count, 0)
    },
  }
}

async function* listed(bus: ParkedMessages, groups: readonly string[], topic: string | undefined) {
  let count = 0
  for (const group of groups) {
    for (const parked of await bus.parked(group)) {
      if (topic !== undefined && parked.topic !== topic) continue
      count += 1
      yield line(parked)
    }
  }
  yield `${count} ${count === 1 ? 'message is' : 'messages are'} parked.\n`
}

/**
 * Runs the command, and yields its output line by line: one JSON object per parked message. Throws `not-found` if the
 * group has no parked message of the topic.
 */
export async function* runParked(
  bus: ParkedMessages,
  command: MessagesCommand,
  allGroups: readonly string[],
): AsyncIterable<string> {
  const { topic, group } = command
  if (command.verb === 'list') {
    yield* listed(bus, group === undefined ? allGroups : [group], topic)
    return
  }
  const waiting = (await bus.parked(command.group)).filter((parked) => parked.topic === topic)
  const keys = new Set(waiting.map(({ message }) => message.key))
  const chosen = [...keys].filter((each) => command.key === undefined || each === command.key)
  if (chosen.length === 0)
    throw new AssayError(
      'not-found',
      `The group ${group} has no such parked message of ${topic}. List the parked messages first.`,
    )
  const dropFirstOf = command.verb === 'drop' ? topic : undefined
  const count = await bus.replayParked(command.group, chosen, dropFirstOf)
  if (dropFirstOf !== undefined) {
    yield `1 message was dropped, and ${count - 1} of its key released.\n`
    return
  }
  yield `${count} ${count === 1 ? 'message was' : 'messages were'} released, of ${chosen.length} keys.\n`
}
