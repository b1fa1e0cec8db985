import type { AssemblyMessage } from '@assay/contracts'
import { isRemoteSource } from '@assay/data-engine'
import type { Loaded } from '@assay/event-store'
import type { AssemblyState } from '../assembly/assembly.ts'
import { storedSource } from '../assembly/secrets.ts'

/** The state of an assembly, for other services. */
export function assemblyMessageOf({
  state,
  revision,
}: Pick<Loaded<AssemblyState>, 'state' | 'revision'>): AssemblyMessage | undefined {
  if (state.status === 'absent') return undefined
  const { id: assemblyId, definition, status, sourceTypeId, lastCrawl } = state
  const isDeleted = status !== 'active'
  const source = isRemoteSource(definition.source) && !isDeleted ? storedSource(definition.source) : null
  const { name, autoAnomaly, autoProfile } = definition
  const crawled = lastCrawl === null ? {} : { lastCrawl }
  return { revision, assemblyId, name, sourceTypeId, autoAnomaly, autoProfile, ...crawled, isDeleted, source }
}
