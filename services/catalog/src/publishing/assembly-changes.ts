import { changesBetween } from '@assay/contracts'
import type { Around } from '@assay/event-store'
import type { AssemblyState } from '../assembly/assembly.ts'
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

/** The visible changes of an assembly. Pure. */
export function assemblyChanges({ before, after }: Around<AssemblyState>) {
  const changes = changesBetween(shown(before), shown(after))
  const isMoved = changes.before !== null && changes.after !== null && sourceOf(before) !== sourceOf(after)
  if (!isMoved) return changes
  return {
    before: { ...changes.before, configuration: mask },
    after: { ...changes.after, configuration: mask },
  }
}
