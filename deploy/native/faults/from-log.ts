import { z } from 'zod'
import type { RecordedEvent } from '../../../packages/event-store/src/index.ts'
import type { Effect, LoggedEvent, Run } from '../../../packages/testkit/src/index.ts'
import { runWriteName, writePrefix } from './write-names.ts'

const acceptedRun = z.object({ run: z.object({ executionId: z.int() }) })
const notified = z.object({ kind: z.string(), eventId: z.string(), assetId: z.int(), recipient: z.string() })

/** The value in the data of an event at a path of names; `undefined` if there is none. */
function at(data: unknown, ...names: string[]): unknown {
  return names.reduce((found, name) => (found instanceof Object ? Reflect.get(found, name) : undefined), data)
}

/** The name of the write that caused an event; `undefined` if no write of the load caused it. */
export function writeNameOf({ type, data }: RecordedEvent): string | undefined {
  const nameAt = (...names: string[]) => {
    const text = at(data, ...names)
    return typeof text === 'string' && text.startsWith(writePrefix) ? text : undefined
  }
  switch (type) {
    case 'PolicyCreated':
      return nameAt('definition', 'name')
    case 'PolicyDefinitionChanged':
    case 'AssemblyUpdated':
      return nameAt('definition', 'description')
    case 'ApiKeyCreated':
      return nameAt('displayName')
    case 'ExecutionAccepted':
      return runWriteName(acceptedRun.parse(data).run.executionId)
    case 'SampleRequested':
      return z.string().parse(at(data, 'requestId'))
    default:
      return undefined
  }
}

export function loggedEvents(events: readonly RecordedEvent[]): LoggedEvent[] {
  return events.map((event) => {
    const { id, stream, revision, position } = event
    return { id, stream, revision, position, write: writeNameOf(event) }
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

/** Work that begins and must end: runs, the open runs of policies, samples. */
export function runsOf(events: readonly RecordedEvent[]): Run[] {
  const runs = new Map<string, Run>()
  for (const { stream, type, data, metadata, revision } of events) {
    const id = `${stream} ${at(data, 'requestId') ?? (type.startsWith('Run') ? at(data, 'executionId') : '')}`
    const time = Date.parse(metadata.occurredAt)
    // A policy has one open run at a time.
    const holds = type === 'RunOpened' ? { holds: { resource: stream, from: revision, until: null } } : {}
    if (beginnings.has(type)) runs.set(id, { id, openedAt: time, endedAt: null, ...holds })
    const open = endings.has(type) ? runs.get(id) : undefined
    if (open !== undefined) {
      const { holds: held } = open
      runs.set(id, { ...open, endedAt: time, ...(held ? { holds: { ...held, until: revision } } : {}) })
    }
  }
  return [...runs.values()]
}

export const effectName = (eventId: string, assetId: number, recipient: string): string =>
  `${eventId} about ${assetId} to ${recipient}`

/** The notifications that watchers got. */
export function effectsOf(events: readonly RecordedEvent[]): Effect[] {
  return (
    events
      .filter(({ type }) => type === 'NotificationCreated')
      .map(({ data }) => notified.parse(data))
      // Whether a recovery is due depends on the alarms before it.
      .filter(({ kind }) => kind !== 'EXECUTION_RECOVERED')
      .map(({ eventId, assetId, recipient }) => ({ cause: effectName(eventId, assetId, recipient) }))
  )
}
