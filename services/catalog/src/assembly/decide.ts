import { AssayError } from '@assay/service-kit/errors'
import { type DueTime, dueAfterChange } from '@assay/work'
import {
  type AssemblyDefinition,
  type AssemblyEvent,
  type AssemblyState,
  type KnownAssembly,
  scheduleOf,
} from './assembly.ts'

type By = { at: string; by: string }

export type CreateAssembly = By & {
  type: 'CreateAssembly'
  assemblyId: number
  definition: AssemblyDefinition
  sourceTypeId: number
  uidPrefix: string
}
export type UpdateAssembly = By & { type: 'UpdateAssembly'; definition: AssemblyDefinition; sourceTypeId: number }
/** Secrets of the configuration, sealed again with another key. */
export type SealAgain = By & { type: 'SealAgain'; secrets: readonly { key: string; before: string; after: string }[] }
export type DeleteAssembly = By & { type: 'DeleteAssembly' }
export type FinishRemoval = By & { type: 'FinishRemoval'; assets: number }
/** `replaces`: a crawl that is known to have ended without releasing its lock. */
export type BeginCrawl = By & {
  type: 'BeginCrawl'
  crawlId: number
  replaces: number | null
  /** For a due crawl. Throws `taken` if the due time has been taken. */
  scheduled?: DueTime | undefined
}
export type SkipCrawl = By & { type: 'SkipCrawl'; scheduled: DueTime; reason: string }
export type EndCrawl = By & { type: 'EndCrawl'; crawlId: number }
export type AssemblyCommand =
  | CreateAssembly
  | UpdateAssembly
  | SealAgain
  | DeleteAssembly
  | FinishRemoval
  | BeginCrawl
  | SkipCrawl
  | EndCrawl

function active(state: AssemblyState): KnownAssembly {
  if (state.status !== 'active') throw new AssayError('not-found', 'There is no such assembly.')
  return state
}

/** Equal as JSON; definitions always have the same key order. */
function isSame(one: AssemblyDefinition, other: AssemblyDefinition): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function begin(state: KnownAssembly, command: BeginCrawl): AssemblyEvent[] {
  const { at, by, crawlId, replaces, scheduled } = command
  if (state.crawlId === crawlId) return []
  if (scheduled !== undefined && scheduled.due !== state.due)
    throw new AssayError('taken', 'The crawl that was due at this time was already started.')
  if (state.crawlId !== null && state.crawlId !== replaces)
    throw new AssayError(
      'unprocessable',
      `Crawl ${state.crawlId} of this assembly is running. Wait for its end, or cancel it.`,
    )
  return [
    {
      type: 'AssemblyCrawlBegun',
      data: { assemblyId: state.id, at, by, crawlId, ...(scheduled ? { scheduled } : {}) },
    },
  ]
}

/** The events of a command. Throws `not-found`, `unprocessable`, `invalid`. */
export function decideAssembly(command: AssemblyCommand, state: AssemblyState): AssemblyEvent[] {
  const { at, by } = command
  switch (command.type) {
    case 'CreateAssembly': {
      if (state.status !== 'absent') return []
      const { assemblyId, definition, sourceTypeId, uidPrefix } = command
      const due = dueAfterChange({ schedule: null, due: null }, scheduleOf(definition), at)
      return [{ type: 'AssemblyCreated', data: { assemblyId, at, by, definition, sourceTypeId, uidPrefix, due } }]
    }
    case 'UpdateAssembly': {
      const known = active(state)
      if (known.sourceTypeId !== command.sourceTypeId)
        throw new AssayError('invalid', 'sourceType: cannot be changed. Create another assembly.')
      if (isSame(known.definition, command.definition)) return []
      const before = { schedule: scheduleOf(known.definition), due: known.due }
      const { definition } = command
      const due = dueAfterChange(before, scheduleOf(definition), at)
      return [{ type: 'AssemblyUpdated', data: { assemblyId: known.id, at, by, definition, due } }]
    }
    case 'SealAgain': {
      if (state.status !== 'active') return []
      const source = { ...state.definition.source }
      // A secret that was changed meanwhile is sealed with the current key.
      const replaced = Object.entries(source).flatMap(([key, value]) =>
        command.secrets.filter((one) => one.key === key && one.before === value),
      )
      if (replaced.length === 0) return []
      for (const { key, after } of replaced) Object.assign(source, { [key]: after })
      const definition = { ...state.definition, source }
      return [{ type: 'AssemblyUpdated', data: { assemblyId: state.id, at, by, definition, due: state.due } }]
    }
    case 'DeleteAssembly':
      return [{ type: 'AssemblyDeleted', data: { assemblyId: active(state).id, at, by } }]
    case 'FinishRemoval':
      if (state.status !== 'deleting') return []
      return [{ type: 'AssemblyAssetsRemoved', data: { assemblyId: state.id, at, by, assets: command.assets } }]
    case 'BeginCrawl':
      return begin(active(state), command)
    case 'SkipCrawl': {
      const { scheduled, reason } = command
      if (state.status !== 'active' || state.due !== scheduled.due) return []
      return [{ type: 'AssemblyCrawlSkipped', data: { assemblyId: state.id, at, by, scheduled, reason } }]
    }
    case 'EndCrawl':
      if (state.status === 'absent' || state.crawlId !== command.crawlId) return []
      return [{ type: 'AssemblyCrawlEnded', data: { assemblyId: state.id, at, by, crawlId: command.crawlId } }]
    default:
      return command satisfies never
  }
}
