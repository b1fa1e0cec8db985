import type { RecordedEvent } from '../../../packages/event-store/src/index.ts'
import type { Effect, LoggedEvent, Run } from '../../../packages/testkit/src/index.ts'
import { executionMark, markPrefix } from './marks.ts'

// biome-ignore lint/suspicious/noExplicitAny: the data of events of many kinds is read here.
type Data = any

/** What finds the write that an event came from; `undefined` for events that no write of the load began. */
export function markOf({ type, data }: RecordedEvent): string | undefined {
  const of: Data = data
  const isMark = (text: unknown) => (typeof text === 'string' && text.startsWith(markPrefix) ? text : undefined)
  switch (type) {
    case 'PolicyCreated':
      return isMark(of.definition.name)
    case 'PolicyDefinitionChanged':
    case 'AssemblyUpdated':
      return isMark(of.definition.description)
    case 'ApiKeyCreated':
      return isMark(of.displayName)
    case 'ExecutionAccepted':
      return executionMark(of.run.executionId)
    case 'SampleRequested':
      return of.requestId
    default:
      return undefined
  }
}

export function loggedEvents(events: readonly RecordedEvent[]): LoggedEvent[] {
  return events.map((event) => {
    const { id, stream, revision, position } = event
    return { id, stream, revision, position, mark: markOf(event) }
  })
}

const beginnings = new Set(['ExecutionAccepted', 'RunOpened', 'SampleRequested'])
const endings = new Set([
  'ExecutionSucceeded',
  'ExecutionFailed',
  'ExecutionAborted',
  'RunEnded',
  'SampleSucceeded',
  'SampleFailed',
])

/** What begins and has to end: runs, the registers that hold a policy for a run, samples. */
export function runsOf(events: readonly RecordedEvent[]): Run[] {
  const runs = new Map<string, Run>()
  for (const { stream, type, data, metadata, revision } of events) {
    const of: Data = data
    const id = `${stream} ${of.requestId ?? (type.startsWith('Run') ? of.executionId : '')}`
    const at = Date.parse(metadata.occurredAt)
    // The register of a policy is held by one run at a time.
    const holds = type === 'RunOpened' ? { holds: { what: stream, from: revision, until: null } } : {}
    if (beginnings.has(type)) runs.set(id, { id, openedAt: at, endedAt: null, ...holds })
    const open = endings.has(type) ? runs.get(id) : undefined
    if (open !== undefined) {
      const { holds: held } = open
      runs.set(id, { ...open, endedAt: at, ...(held ? { holds: { ...held, until: revision } } : {}) })
    }
  }
  return [...runs.values()]
}

export const effectName = (eventId: string, assetId: number, recipient: string): string =>
  `${eventId} about ${assetId} told to ${recipient}`

/** What watchers were told. */
export function effectsOf(events: readonly RecordedEvent[]): Effect[] {
  return events
    .filter(({ type }) => type === 'NotificationCreated')
    .map(({ data }) => {
      const of: Data = data
      return { cause: effectName(of.eventId, of.assetId, of.recipient) }
    })
}
