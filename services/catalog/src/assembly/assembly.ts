import type { Source } from '@assay/data-engine'
import type { DueTime, Schedule } from '@assay/work'

/** A user's definition of an assembly. `source` is what the engine opens. */
export type AssemblyDefinition = {
  name: string
  description: string
  source: Source
  schedule: string | null
  timeZone: string
  autoProfile: boolean
  /** Whether each of its tables gets an auto anomaly policy. */
  autoAnomaly: boolean
}

/** The schedule of an assembly's crawls; `null` means none. */
export function scheduleOf({ schedule, timeZone }: AssemblyDefinition): Schedule | null {
  return schedule === null ? null : { cronExpression: schedule, timeZone }
}

type OfAssembly = { assemblyId: number; at: string; by: string }

export type AssemblyCreated = {
  type: 'AssemblyCreated'
  data: OfAssembly & {
    definition: AssemblyDefinition
    sourceTypeId: number
    /** First part of the UIDs of its assets. Renaming the assembly does not change it, because UIDs never change. */
    uidPrefix: string
    /** Its next scheduled crawl. */
    due: string | null
  }
}
export type AssemblyUpdated = {
  type: 'AssemblyUpdated'
  data: OfAssembly & { definition: AssemblyDefinition; due: string | null }
}
export type AssemblyDeleted = { type: 'AssemblyDeleted'; data: OfAssembly }
/** All assets of a deleted assembly are marked as deleted. */
export type AssemblyAssetsRemoved = { type: 'AssemblyAssetsRemoved'; data: OfAssembly & { assets: number } }
/** A crawl took the lock of the assembly, which has one crawl at a time. */
export type AssemblyCrawlBegun = {
  type: 'AssemblyCrawlBegun'
  data: OfAssembly & { crawlId: number; scheduled?: DueTime }
}
/** A due crawl was skipped. */
export type AssemblyCrawlSkipped = {
  type: 'AssemblyCrawlSkipped'
  data: OfAssembly & { scheduled: DueTime; reason: string }
}
/** The crawl released the lock. */
export type AssemblyCrawlEnded = { type: 'AssemblyCrawlEnded'; data: OfAssembly & { crawlId: number } }

export type AssemblyEvent =
  | AssemblyCreated
  | AssemblyUpdated
  | AssemblyDeleted
  | AssemblyAssetsRemoved
  | AssemblyCrawlBegun
  | AssemblyCrawlSkipped
  | AssemblyCrawlEnded

export type KnownAssembly = {
  status: 'active' | 'deleting' | 'deleted'
  id: number
  definition: AssemblyDefinition
  sourceTypeId: number
  uidPrefix: string
  createdAt: string
  createdBy: string
  updatedAt: string
  deletedBy: string | null
  /** The crawl that holds the lock, while it runs and until it releases the lock. */
  crawlId: number | null
  crawlBegunAt: string | null
  /** The last crawl that has released the lock. */
  lastCrawl: { begunAt: string; endedAt: string } | null
  /** Its next scheduled crawl. */
  due: string | null
}
export type AssemblyState = { status: 'absent' } | KnownAssembly

export const initialAssembly: AssemblyState = { status: 'absent' }

/** The state after an event. */
export function evolveAssembly(state: AssemblyState, event: AssemblyEvent): AssemblyState {
  if (event.type === 'AssemblyCreated') {
    const { assemblyId, definition, sourceTypeId, uidPrefix, due, at, by } = event.data
    const times = { createdAt: at, createdBy: by, updatedAt: at, deletedBy: null }
    return {
      status: 'active',
      id: assemblyId,
      definition,
      sourceTypeId,
      uidPrefix,
      ...times,
      crawlId: null,
      crawlBegunAt: null,
      lastCrawl: null,
      due,
    }
  }
  if (state.status === 'absent') return state
  switch (event.type) {
    case 'AssemblyUpdated':
      return { ...state, definition: event.data.definition, updatedAt: event.data.at, due: event.data.due }
    case 'AssemblyDeleted':
      return { ...state, status: 'deleting', updatedAt: event.data.at, deletedBy: event.data.by, due: null }
    case 'AssemblyAssetsRemoved':
      return { ...state, status: 'deleted' }
    case 'AssemblyCrawlBegun': {
      const { crawlId, at, scheduled } = event.data
      return { ...state, crawlId, crawlBegunAt: at, due: scheduled ? scheduled.next : state.due }
    }
    case 'AssemblyCrawlSkipped':
      return { ...state, due: event.data.scheduled.next }
    case 'AssemblyCrawlEnded':
      return {
        ...state,
        crawlId: null,
        crawlBegunAt: null,
        lastCrawl:
          state.crawlBegunAt === null ? state.lastCrawl : { begunAt: state.crawlBegunAt, endedAt: event.data.at },
      }
    default:
      return event satisfies never
  }
}
