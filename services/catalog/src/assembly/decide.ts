import { AssayError } from '@assay/service-kit/errors'
import type { AssemblyDefinition, AssemblyEvent, AssemblyState, KnownAssembly } from './assembly.ts'

type By = { at: string; by: string }

export type CreateAssembly = By & {
  type: 'CreateAssembly'
  assemblyId: number
  definition: AssemblyDefinition
  sourceTypeId: number
  uidPrefix: string
}
export type UpdateAssembly = By & { type: 'UpdateAssembly'; definition: AssemblyDefinition; sourceTypeId: number }
export type DeleteAssembly = By & { type: 'DeleteAssembly' }
export type FinishRemoval = By & { type: 'FinishRemoval'; assets: number }
/** `replaces`: a crawl that is known to have ended without giving its place back. */
export type BeginCrawl = By & { type: 'BeginCrawl'; crawlId: number; replaces: number | null }
export type EndCrawl = By & { type: 'EndCrawl'; crawlId: number }
export type AssemblyCommand = CreateAssembly | UpdateAssembly | DeleteAssembly | FinishRemoval | BeginCrawl | EndCrawl

function active(state: AssemblyState): KnownAssembly {
  if (state.status !== 'active') throw new AssayError('not-found', 'There is no such assembly.')
  return state
}

/** Equal as JSON, whatever the order of the keys that differ only by it: a definition is always built in one order. */
function isSame(one: AssemblyDefinition, other: AssemblyDefinition): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function begin(state: KnownAssembly, command: BeginCrawl): AssemblyEvent[] {
  const { at, by, crawlId, replaces } = command
  if (state.crawlId === crawlId) return []
  if (state.crawlId !== null && state.crawlId !== replaces)
    throw new AssayError(
      'unprocessable',
      `Crawl ${state.crawlId} of this assembly is running. Wait for its end, or cancel it.`,
    )
  return [{ type: 'AssemblyCrawlBegun', data: { assemblyId: state.id, at, by, crawlId } }]
}

/** What a command means for an assembly. Throws `not-found`, `unprocessable`, `invalid`. */
export function decideAssembly(command: AssemblyCommand, state: AssemblyState): AssemblyEvent[] {
  const { at, by } = command
  switch (command.type) {
    case 'CreateAssembly': {
      if (state.status !== 'absent') return []
      const { assemblyId, definition, sourceTypeId, uidPrefix } = command
      return [{ type: 'AssemblyCreated', data: { assemblyId, at, by, definition, sourceTypeId, uidPrefix } }]
    }
    case 'UpdateAssembly': {
      const known = active(state)
      if (known.sourceTypeId !== command.sourceTypeId)
        throw new AssayError('invalid', 'sourceType: cannot be changed. Make another assembly.')
      if (isSame(known.definition, command.definition)) return []
      return [{ type: 'AssemblyUpdated', data: { assemblyId: known.id, at, by, definition: command.definition } }]
    }
    case 'DeleteAssembly':
      return [{ type: 'AssemblyDeleted', data: { assemblyId: active(state).id, at, by } }]
    case 'FinishRemoval':
      if (state.status !== 'deleting') return []
      return [{ type: 'AssemblyAssetsRemoved', data: { assemblyId: state.id, at, by, assets: command.assets } }]
    case 'BeginCrawl':
      return begin(active(state), command)
    case 'EndCrawl':
      if (state.status === 'absent' || state.crawlId !== command.crawlId) return []
      return [{ type: 'AssemblyCrawlEnded', data: { assemblyId: state.id, at, by, crawlId: command.crawlId } }]
    default:
      return command satisfies never
  }
}
