import { changesBetween } from '@assay/contracts'
import { type EventStore, fold, parseStreamName, type RecordedEvent } from '@assay/event-store'
import { assemblyAggregate } from '../assembly/aggregate.ts'
import { type AssemblyState, initialAssembly } from '../assembly/assembly.ts'
import { mask } from '../assembly/secrets.ts'

/** Without the source: it has host paths and secrets. */
function shown(state: AssemblyState) {
  if (state.status === 'absent' || state.status !== 'active') return null
  const { source: _, ...definition } = state.definition
  return definition
}

function sourceOf(state: AssemblyState): string | undefined {
  return state.status === 'active' ? JSON.stringify(state.definition.source) : undefined
}

/** The visible changes of an assembly event; `undefined` for an event of anything else. */
export async function assemblyChanges(store: Pick<EventStore, 'read'>, event: RecordedEvent) {
  if (parseStreamName(event.stream)?.category !== assemblyAggregate.category) return undefined
  const { events } = await store.read(event.stream, { limit: event.revision + 1 })
  const before = fold(assemblyAggregate, initialAssembly, events.slice(0, -1))
  const after = fold(assemblyAggregate, initialAssembly, events)
  const changes = changesBetween(shown(before), shown(after))
  const isMoved = changes.before !== null && changes.after !== null && sourceOf(before) !== sourceOf(after)
  if (!isMoved) return changes
  return {
    before: { ...changes.before, configuration: mask },
    after: { ...changes.after, configuration: mask },
  }
}
