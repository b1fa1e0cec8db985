import type { Documents } from '@assay/documents'
import { type CommandContext, type CommandHandler, jsonBytes } from '@assay/event-store'
import { type EachSide, type KindPolicy, kindOf } from '@assay/reliability'
import { AssayError } from '@assay/service-kit/errors'
import type { Execution } from '../execution/execution.ts'
import type { AcceptedRun } from '../execution/run.ts'
import { bySide } from '../execution/sides.ts'
import {
  keptVersions,
  type LearnedVersion,
  type PolicyVersion,
  type SchemaVersion,
  type Version,
  versionAggregate,
  versionKey,
} from './version.ts'

type Columns = Omit<SchemaVersion, 'kind'>

/** A table that a run reads, with its columns. */
export type KnownTable = AcceptedRun['sides'][number] & Columns
/** A run with its versions. `tables`: the tables of its sides, in order. */
export type KnownRun = AcceptedRun & {
  definition: KindPolicy
  tables: EachSide<KnownTable>
}
export type KnownExecution = Execution & { run: KnownRun }

interface OfRun {
  run: AcceptedRun
}

/** Versions that runs share, each stored once, when the first run with it is accepted. */
export interface Versions {
  /** Stores a version unless it exists, and returns its key. Throws the errors of the log. */
  keep(tenant: string, version: Version, context: CommandContext): Promise<string>
  /** A run with its versions. Throws `unavailable` if one cannot be read. */
  of<State extends OfRun>(tenant: string, state: State): Promise<State & { run: KnownRun }>
  /** The findings of earlier runs that a run starts with; `undefined` if there are none. Throws `unavailable`. */
  learnedOf(tenant: string, run: AcceptedRun): Promise<LearnedVersion['learned'] | undefined>
  /** Many runs with their versions, which are read together. */
  ofAll<State extends OfRun>(tenant: string, states: readonly State[]): Promise<(State & { run: KnownRun })[]>
}

/** A parsed version: a definition opened by its kind, a schema, or the findings of runs. */
type Opened =
  | { policy: (policyVersion: number) => KindPolicy }
  | { schema: Columns }
  | { learned: LearnedVersion['learned'] }

/** Maximum size of the cached versions, as bytes of JSON; in memory they take two or three times that. */
const maxHeldBytes = 16 * 1024 * 1024
const readAtOnce = 500

export function createVersions(deps: { documents: Pick<Documents, 'find'>; commands: CommandHandler }): Versions {
  const { documents, commands } = deps
  /** LRU cache; versions never change. */
  const held = new Map<string, { opened: Opened; bytes: number }>()
  let total = 0

  function hold(key: string, version: Version): Opened {
    const [opened, bytes] = [openedVersion(version), jsonBytes(version)]
    if (!held.has(key)) total += bytes
    held.set(key, { opened, bytes })
    for (const [oldest, one] of held) {
      if (total <= maxHeldBytes || oldest === key) break
      held.delete(oldest)
      total -= one.bytes
    }
    return opened
  }

  function touch(key: string): Opened | undefined {
    const one = held.get(key)
    if (one === undefined) return undefined
    held.delete(key)
    held.set(key, one)
    return one.opened
  }

  /** Reads a version from the log if its document is missing, as during a rebuild. */
  async function logged(tenant: string, key: string): Promise<Version> {
    const { state } = await commands.load(versionAggregate, tenant, key)
    if (state !== null) return state
    throw new AssayError('unavailable', 'The definition of this execution cannot be read now. Try again in a moment.')
  }

  async function read(tenant: string, keys: readonly string[]): Promise<Map<string, Opened>> {
    const found = new Map<string, Opened>()
    for (const key of keys) {
      const opened = touch(`${tenant}/${key}`)
      if (opened !== undefined) found.set(key, opened)
    }
    const missing = [...new Set(keys)].filter((key) => !found.has(key))
    for (let from = 0; from < missing.length; from += readAtOnce) {
      const some = missing.slice(from, from + readAtOnce)
      const page = await documents.find(keptVersions, tenant, { where: [{ field: 'id', in: some }], size: some.length })
      for (const { key, version } of page.documents) found.set(key, hold(`${tenant}/${key}`, version))
    }
    for (const key of missing) if (!found.has(key)) found.set(key, hold(`${tenant}/${key}`, await logged(tenant, key)))
    return found
  }

  return {
    keep: async (tenant, version, context) => {
      const id = versionKey(version)
      if (touch(`${tenant}/${id}`) !== undefined) return id
      const command = { type: 'KeepVersion' as const, version }
      await commands.handle(versionAggregate, { tenant, id, command, context })
      hold(`${tenant}/${id}`, version)
      return id
    },
    async learnedOf(tenant, run) {
      if (run.learned === undefined) return undefined
      const version = (await read(tenant, [run.learned])).get(run.learned)
      if (version === undefined || !('learned' in version)) throw ofAnotherKind(run)
      return version.learned
    },
    of: async (tenant, state) => ({ ...state, run: knownRun(state.run, await read(tenant, keysOf(state))) }),
    ofAll: async (tenant, states) => {
      const found = await read(tenant, states.flatMap(keysOf))
      return states.map((state) => ({ ...state, run: knownRun(state.run, found) }))
    },
  }
}

const keysOf = ({ run }: OfRun) => [run.policy.definition, ...run.sides.map(({ schema }) => schema)]

function ofAnotherKind({ executionId }: AcceptedRun): AssayError {
  return new AssayError('internal', `Execution ${executionId} names versions of another kind.`)
}

function openPolicy(version: PolicyVersion): (policyVersion: number) => KindPolicy {
  return kindOf(version.type).open(version)
}

function openedVersion(version: Version): Opened {
  if (version.kind === 'POLICY') return { policy: openPolicy(version) }
  if (version.kind === 'LEARNED') return { learned: version.learned }
  const { kind: _kind, ...schema } = version
  return { schema }
}

function knownRun(run: AcceptedRun, found: ReadonlyMap<string, Opened>): KnownRun {
  const of = found.get(run.policy.definition)
  if (of === undefined || !('policy' in of)) throw ofAnotherKind(run)
  const tables = bySide(run.sides, (side) => {
    const on = found.get(side.schema)
    if (on === undefined || !('schema' in on)) throw ofAnotherKind(run)
    return { ...side, ...on.schema }
  })
  return { ...run, definition: of.policy(run.policy.version), tables }
}
