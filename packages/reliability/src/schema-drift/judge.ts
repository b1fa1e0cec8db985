import { type SchemaChange, schemaChangeKinds } from '@assay/contracts'
import { compareExact, exactHundred } from '../exact.ts'
import type { ItemOutcome } from '../item-outcome.ts'
import type { Found, JudgedRun, LearnedData, RunGiven } from '../kinds/judging.ts'
import type { Steps } from '../kinds/steps.ts'
import { passingPercentage, shownPercentage } from '../percentage.ts'
import { scorePolicy } from '../score-policy.ts'
import type { JudgedPoint } from '../series/judged-point.ts'
import type { JudgedAgain, PastRun } from '../what-if/past-run.ts'
import { changesBetween, type FoundChange } from './changes.ts'
import { type RunItem, runItems, type SchemaDriftPolicy } from './definition.ts'
import { type LearnedSchema, learnedSchema, type SchemaColumn } from './schema.ts'

/** The content of an unchanged schema is read again after this time, so frequent runs store little. */
const contentMs = 86_400_000

/** Judges the changes since the last completed run, item by item. Pure. */
export function* judgeSchemaDrift(policy: SchemaDriftPolicy, run: RunGiven, all: readonly Found[]): Steps<JudgedRun> {
  const [side] = run.sides
  const before = learnedBefore(run)
  const now = schemaNow(run, all)
  const found = changesBetween(before?.columns ?? side.columns.map(withoutContent), now)
  yield
  const items = runItems(policy, run.itemSelection)
  const judged = items.map((item) => ({ item, outcome: outcomeOf(policy, item, found, now.length) }))
  const score = scorePolicy({
    strategy: policy.score.strategy,
    scoreItems: policy.score.items,
    thresholdLevel: policy.score.threshold,
    verdictBy: policy.score.verdictBy,
    outcomes: judged.map(({ item, outcome }) => ({ name: item.name, weightage: 1, isWarning: false, outcome })),
  })
  const points = judged.flatMap(({ item, outcome }) => changePoints(item.id, outcome.detail.changes))
  const isFresh = before !== null && Date.parse(run.startedAt) - Date.parse(before.at) < contentMs
  return {
    outcomes: judged.map(({ item, outcome }) => ({ itemId: item.id, ...outcome })),
    qualityScore: score.qualityScore,
    verdict: score.verdict,
    scoreError: score.error,
    ...(points.length === 0 ? {} : { judged: points }),
    ...(found.length === 0 && isFresh
      ? {}
      : { learned: learned({ assetId: side.assetId, at: run.startedAt, columns: now }) }),
  }
}

/** The schema that a run, or the creation of a policy, stores for the next run. Pure. */
export function learned(schema: LearnedSchema): LearnedData {
  return { ...schema }
}

/** Null before the first run, and after the policy was moved to another table. */
function learnedBefore({ learned, sides: [{ assetId }] }: RunGiven): LearnedSchema | null {
  if (learned === undefined) return null
  const before = learnedSchema.parse(learned)
  return before.assetId === assetId ? before : null
}

const withoutContent = ({ name, dataType, nullable }: RunGiven['sides'][0]['columns'][number]): SchemaColumn => ({
  name,
  dataType,
  nullable: nullable ?? null,
})

/**
 * The schema of the source. In a run after a crawl it is the schema of the crawl, with the content that the source has
 * now.
 */
function schemaNow({ afterCrawl, sides: [{ columns }] }: RunGiven, all: readonly Found[]): SchemaColumn[] {
  const described = all.flatMap((one) => (one.kind === 'DESCRIBE' ? one.columns : []))
  if (afterCrawl !== true) return [...described]
  const content = new Map(described.map((column) => [column.name, column.content]))
  return columns.map((column) => {
    const known = content.get(column.name)
    return { ...withoutContent(column), ...(known ? { content: known } : {}) }
  })
}

/** Judges the changes of an earlier run again, by the severities of this policy. Pure. */
export function* judgeSchemaAgain(policy: SchemaDriftPolicy, { judged }: PastRun): Steps<JudgedAgain[]> {
  return judged.map((point) => {
    const kind = schemaChangeKinds.find((one) => one === point.metric)
    const fired = kind !== undefined && severityOf(policy, kind) !== 'IGNORE'
    return { ...point, upper: fired ? 0 : null, fired }
  })
}

/** The number of changes of each kind. No threshold looks back at these numbers. */
function changePoints(itemId: number, changes: readonly SchemaChange[]): JudgedPoint[] {
  return [...Map.groupBy(changes, ({ kind }) => kind)].map(([metric, ofKind]) => {
    const fired = ofKind.some(({ severity }) => severity !== 'IGNORE')
    const range = { lower: null, upper: fired ? 0 : null }
    return { itemId, metric, columnName: null, key: null, value: String(ofKind.length), ...range, fired }
  })
}

/** Whether an item counts a kind of change, by its flags. */
function counts({ own }: RunItem, kind: FoundChange['kind']): boolean {
  const flags = own?.schemaDriftRuleConfig ?? null
  if (flags === null) return true
  switch (kind) {
    case 'ADDED':
      return flags.assetAddition
    case 'REMOVED':
      return flags.assetDeletion
    case 'RENAMED':
      return flags.assetAddition || flags.assetDeletion
    case 'TYPE_WIDENED':
    case 'TYPE_NARROWED':
    case 'TYPE_CHANGED':
      return flags.dataType ?? flags.assetMetaData
    case 'NULLABILITY':
      return flags.assetMetaData
    case 'ORDER':
      return flags.assetRelationChange ?? flags.assetMetaData
    default:
      return kind satisfies never
  }
}

function severityOf({ severity }: SchemaDriftPolicy, kind: FoundChange['kind']): SchemaChange['severity'] {
  switch (kind) {
    case 'ADDED':
      return severity.added
    case 'REMOVED':
      return severity.removed
    case 'RENAMED':
      return severity.renamed
    case 'TYPE_WIDENED':
      return severity.typeWidened
    case 'TYPE_NARROWED':
    case 'TYPE_CHANGED':
      return severity.typeChanged
    case 'NULLABILITY':
      return severity.nullability
    case 'ORDER':
      return severity.order
    default:
      return kind satisfies never
  }
}

/** The percentage of the columns, including removed ones, that have no change that counts. */
function outcomeOf(
  policy: SchemaDriftPolicy,
  item: RunItem,
  found: readonly FoundChange[],
  columnsNow: number,
): ItemOutcome & { detail: { changes: SchemaChange[] } } {
  const changes: SchemaChange[] = found
    .filter(({ kind }) => counts(item, kind))
    .map((change) => ({ ...change, severity: severityOf(policy, change.kind) }))
  const counted = changes.filter(({ severity }) => severity !== 'IGNORE')
  const isError = counted.some(({ severity }) => severity === 'ERROR')
  const columns = columnsNow + found.filter(({ kind }) => kind === 'REMOVED').length
  const changed = new Set(counted.map(({ name }) => name)).size
  const percentage = columns === 0 ? exactHundred : passingPercentage(columns, changed)
  return {
    verdict: isError ? 'ERRORED' : counted.length > 0 ? 'WARNING' : 'SUCCESSFUL',
    resultPercentage: shownPercentage(percentage, (one) => compareExact(one, exactHundred)),
    rowsScanned: null,
    rowsFailed: null,
    value: String(changes.length),
    error: null,
    detail: { changes },
  }
}
