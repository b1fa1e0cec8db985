import type { AssemblyMessage } from '@assay/contracts'
import type { Loaded } from '@assay/event-store'
import type { AssemblyState } from '../assembly/assembly.ts'

/** The state of an assembly, for other services. */
export function assemblyMessageOf({
  state,
  revision,
}: Pick<Loaded<AssemblyState>, 'state' | 'revision'>): AssemblyMessage | undefined {
  if (state.status === 'absent') return undefined
  const { id: assemblyId, definition, status } = state
  return { revision, assemblyId, autoAnomaly: definition.autoAnomaly, isDeleted: status !== 'active' }
}
