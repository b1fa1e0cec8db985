import { type ItemExecution, type SchemaChange, type SchemaDrift, schemaChange } from '@assay/contracts'
import { z } from 'zod'
import { itemExecutionId } from '../kinds/item-execution-id.ts'
import type { EndedItem, EndedRun, ItemRecords } from '../kinds/run-kind.ts'
import { thresholdOfPercentage, thresholdRecordOf } from '../threshold.ts'
import type { RunItem } from './definition.ts'

/** The findings of an item, as outcomes keep them. */
const detail = z.object({ changes: z.array(schemaChange) })

/** The changes that an outcome keeps. Pure. */
export const changesOf = (outcome: Pick<EndedItem, 'detail'>): SchemaChange[] => detail.parse(outcome.detail).changes

interface Judged {
  id: number
  item: RunItem
  outcome: EndedItem
  drift: SchemaDrift
  ruleVersion: number
}

interface RecordsOf {
  items: readonly RunItem[]
  assetId: number
  ruleVersion: number
}

/** Either name of a renamed column may belong to a protected column, even if the catalog knows only one of them. */
const withoutSimilarity = (change: SchemaChange): SchemaChange =>
  change.evidence === null ? change : { ...change, evidence: { ...change.evidence, similarity: null } }

/**
 * The records of a run's items, in order. Names and types of columns are not protected. The similarity of their content
 * is protected, because it depends on values. Pure.
 */
export function schemaDriftRecords({ items, assetId, ruleVersion }: RecordsOf, run: EndedRun): ItemRecords {
  const outcomes = new Map(run.outcomes.map((outcome) => [outcome.itemId, outcome]))
  const judged = items.flatMap((item, index): Judged[] => {
    const outcome = outcomes.get(item.id)
    if (outcome === undefined) return []
    const changes = changesOf(outcome)
    const drift = driftOf(assetId, run.hidesValues ? changes.map(withoutSimilarity) : changes)
    return [{ id: itemExecutionId(run.executionId, index), item, outcome, drift, ruleVersion }]
  })
  return {
    executions: judged.map((one) => executionOf(run, one)),
    results: judged.map((one) => resultOf(run, one)),
  }
}

function driftOf(backingAssetId: number, changes: SchemaChange[]): SchemaDrift {
  const namesOf = (isIt: (kind: SchemaChange['kind']) => boolean) => [
    ...new Set(changes.filter(({ kind }) => isIt(kind)).map(({ name }) => name)),
  ]
  const addedNames = namesOf((kind) => kind === 'ADDED')
  const deletedNames = namesOf((kind) => kind === 'REMOVED')
  const modifiedNames = namesOf((kind) => kind !== 'ADDED' && kind !== 'REMOVED')
  return {
    addedNames,
    deletedNames,
    modifiedNames,
    addedCount: addedNames.length,
    deletedCount: deletedNames.length,
    modifiedCount: modifiedNames.length,
    childAssetTypes: [],
    backingAssetId,
    leftSnapshotData: null,
    rightSnapshotData: null,
    changes,
  }
}

const threshold = 100

function resultOf({ includeInQualityScore }: EndedRun, judged: Judged): ItemRecords['results'][number] {
  const { id, item, outcome, drift } = judged
  const { verdict, resultPercentage, value, error } = outcome
  return {
    id,
    ruleItemId: item.id,
    name: item.name,
    threshold,
    weightage: 1,
    dimension: 'CONSISTENCY',
    includeInQualityScore,
    isWarning: false,
    success: verdict === 'SUCCESSFUL',
    status: verdict,
    resultPercentage,
    resultPercent: resultPercentage,
    rowsScanned: null,
    rowsFailed: null,
    value,
    error,
    drift,
  }
}

function executionOf({ executionId, startedAt, finishedAt }: EndedRun, judged: Judged): ItemExecution {
  const { id, item, outcome, drift, ruleVersion } = judged
  const { verdict, resultPercentage, value, error } = outcome
  return {
    id,
    executionId,
    ruleItemId: item.id,
    startedAt,
    finishedAt,
    threshold,
    thresholdConfig: item.own?.thresholdConfig ?? thresholdRecordOf(thresholdOfPercentage(threshold)),
    weightage: 1,
    isWarning: false,
    status: verdict,
    result: resultPercentage === null ? null : resultPercentage.toFixed(4),
    resultPercentage,
    rowsScanned: null,
    rowsFailed: null,
    rowsWarning: null,
    value,
    error,
    item: item.own && { ...item.own, ruleVersion },
    drift,
    executionInputs: null,
    rca: null,
    segments: null,
    segmentHash: null,
    businessItemId: null,
  }
}

const words: Readonly<Record<SchemaChange['kind'], string>> = {
  ADDED: 'added',
  REMOVED: 'removed',
  RENAMED: 'renamed',
  TYPE_WIDENED: 'with a wider type',
  TYPE_NARROWED: 'with a narrower type',
  TYPE_CHANGED: 'with another type',
  NULLABILITY: 'with other nullability',
  ORDER: 'moved',
}

/** `The schema changed: 1 column removed, 2 renamed.` Pure. */
export function schemaDriftSummary(outcomes: readonly EndedItem[]): string {
  const changes = new Map(outcomes.flatMap(changesOf).map((change) => [`${change.kind} ${change.name}`, change]))
  const counts = new Map<string, number>()
  for (const { kind } of changes.values()) counts.set(words[kind], (counts.get(words[kind]) ?? 0) + 1)
  if (counts.size === 0) return 'The schema has not changed since the last run.'
  return `The schema changed since the last run. Columns: ${[...counts].map(([what, count]) => `${count} ${what}`).join(', ')}.`
}
