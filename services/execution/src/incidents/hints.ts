import type { IncidentHint } from '@assay/contracts'
import type { ShownExecution } from '../reading/masked-outcomes.ts'
import type { Incident } from './incident.ts'

/** The least relative change of the number of rows that is a hint. */
const leastChange = 0.1
const maxHints = 20
const dayMs = 86_400_000

/** A table whose columns changed. */
export interface ChangedTable {
  assetId: number
  uid: string
  assemblyId: number
  /** ISO 8601 UTC. */
  schemaChangedAt: string
}

/** A table in files. `changedAt`: the time of its newest file when it was last crawled, ISO 8601 UTC. */
export interface ChangedFiles {
  assetId: number
  uid: string
  changedAt: string
}

/** The facts that may explain an incident. */
export interface HintFacts {
  /** The run that opened it, and the last successful run before it, as the caller may see them. */
  opening: ShownExecution | undefined
  good: ShownExecution | undefined
  /** The tables that the tables of the run read, if these are views. */
  upstream: ReadonlySet<number>
  tables: readonly ChangedTable[]
  /** Tables that are in files, among them those upstream. */
  files: readonly ChangedFiles[]
  /** Other incidents that the caller may see. */
  incidents: readonly Incident[]
}

/** Causes of an incident are searched for from this time on: the start of its last successful run, else a day before it opened. */
export function searchedSince({ openedAt }: Incident, good: ShownExecution | undefined): string {
  return good?.run.startedAt ?? new Date(Date.parse(openedAt) - dayMs).toISOString()
}

/** The changes shortly before an incident opened: on its tables, upstream of them, and in their assembly. Pure. */
export function hintsOf(incident: Incident, facts: HintFacts): IncidentHint[] {
  const { opening, good } = facts
  const compared = opening === undefined || good === undefined ? [] : betweenRuns(incident, opening, good)
  const related = [...ofTables(incident, facts), ...ofFiles(incident, facts), ...ofIncidents(incident, facts)]
  return [...compared, ...related].slice(0, maxHints)
}

function betweenRuns({ openedAt: at }: Incident, opening: ShownExecution, good: ShownExecution): IncidentHint[] {
  const hints: IncidentHint[] = []
  for (const [index, table] of opening.run.tables.entries()) {
    const { assetId, uid: assetUid } = table
    const hint = (kind: IncidentHint['kind'], text: string) =>
      hints.push({ kind, relation: 'SAME', assetId, assetUid, at, text })
    const former = good.run.tables[index]
    if (former?.assetId !== assetId) continue
    const difference = columnChanges(former.columns, table.columns)
    if (difference.length > 0) hint('SCHEMA_CHANGED', `${difference.join('; ')}.`)
    const now = figuresOf(opening, index)
    const then = figuresOf(good, index)
    if (now === undefined || then === undefined) continue
    if (opening.run.executionType === good.run.executionType && isOtherVolume(then.rows, now.rows))
      hint('VOLUME_CHANGED', `${counted(now.rows)} rows were read; ${counted(then.rows)} in the last successful run.`)
    if (now.files !== undefined && then.files !== undefined && now.files !== then.files)
      hint('FILES_CHANGED', `${counted(now.files)} files; ${counted(then.files)} in the last successful run.`)
    if (now.warnings > then.warnings)
      hint(
        'LINES_CHANGED',
        `${counted(now.warnings)} lines are irregular; ${counted(then.warnings)} in the last successful run.`,
      )
  }
  const [now, then] = [opening.run.policy.version, good.run.policy.version]
  const [table] = opening.run.tables
  if (now !== then) {
    const text = `The policy is at version ${now}; its last successful run used version ${then}.`
    hints.push({ kind: 'POLICY_CHANGED', relation: 'SAME', assetId: table.assetId, assetUid: table.uid, at, text })
  }
  return hints
}

/**
 * The rows, files and irregular lines that a run found on a side; `undefined` if it failed or the caller may not see
 * them.
 */
function figuresOf(state: ShownExecution, index: number) {
  if (state.status !== 'succeeded' || state.hidden?.rows === true) return undefined
  const side = state.result.sides[index]
  return side?.rowsScanned == null
    ? undefined
    : { rows: side.rowsScanned, files: side.files, warnings: side.warnings.total }
}

const counted = (count: number) => count.toLocaleString('en-US')

function isOtherVolume(then: number, now: number): boolean {
  return Math.abs(now - then) >= Math.max(1, leastChange * then)
}

interface Column {
  id: number
  name: string
  dataType: string
}

function columnChanges(then: readonly Column[], now: readonly Column[]): string[] {
  const before = new Map(then.map((column) => [column.id, column]))
  const after = new Set(now.map(({ id }) => id))
  const named = (what: string, columns: readonly Column[]) =>
    columns.length === 0 ? [] : [`${what} ${columns.map(({ name }) => name).join(', ')}`]
  const retyped = now.flatMap(({ id, name, dataType }) => {
    const former = before.get(id)?.dataType
    return former === undefined || former === dataType ? [] : [`${name} is ${dataType}, was ${former}`]
  })
  return [
    ...named(
      'added',
      now.filter(({ id }) => !before.has(id)),
    ),
    ...named(
      'removed',
      then.filter(({ id }) => !after.has(id)),
    ),
    ...retyped,
  ]
}

function ofTables(incident: Incident, { opening, good, upstream, tables }: HintFacts): IncidentHint[] {
  const own = new Set(incident.assets.map(({ id }) => id))
  const assemblies = new Set(opening?.run.tables.map(({ assemblyId }) => assemblyId))
  const since = searchedSince(incident, good)
  return tables.flatMap(({ assetId, uid: assetUid, assemblyId, schemaChangedAt: at }): IncidentHint[] => {
    // The runs compare the columns of the policy's own tables, unless no run was successful.
    if (own.has(assetId) && good !== undefined) return []
    const others = upstream.has(assetId) ? 'UPSTREAM' : assemblies.has(assemblyId) ? 'ASSEMBLY' : undefined
    const relation = own.has(assetId) ? 'SAME' : others
    if (relation === undefined || at < since || at > incident.openedAt) return []
    return [{ kind: 'SCHEMA_CHANGED', relation, assetId, assetUid, at, text: `The columns of ${assetUid} changed.` }]
  })
}

function ofFiles(incident: Incident, { good, upstream, files }: HintFacts): IncidentHint[] {
  const since = searchedSince(incident, good)
  return files.flatMap(({ assetId, uid: assetUid, changedAt: at }): IncidentHint[] => {
    if (!upstream.has(assetId) || at < since || at > incident.openedAt) return []
    return [
      { kind: 'FILES_CHANGED', relation: 'UPSTREAM', assetId, assetUid, at, text: `The files of ${assetUid} changed.` },
    ]
  })
}

function ofIncidents(incident: Incident, { good, upstream, incidents }: HintFacts): IncidentHint[] {
  const own = new Set(incident.assets.map(({ id }) => id))
  const since = searchedSince(incident, good)
  return incidents.flatMap(({ id, policyName, openedAt: at, assets }): IncidentHint[] => {
    const asset = assets.find((each) => own.has(each.id) || upstream.has(each.id))
    if (asset === undefined || id === incident.id || at < since || at > incident.openedAt) return []
    const relation = own.has(asset.id) ? 'SAME' : 'UPSTREAM'
    const text = `Incident ${id} of the policy "${policyName}" opened on ${asset.uid}.`
    return [{ kind: 'OTHER_INCIDENT', relation, assetId: asset.id, assetUid: asset.uid, at, text }]
  })
}
