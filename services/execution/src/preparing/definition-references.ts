import type { ItemRecord, TableMessage } from '@assay/contracts'
import { type Metric, type SqlText, variableKeys, writtenIn } from '@assay/data-engine'
import { allNeeds, needsOf, planItem, type References } from '@assay/reliability'
import type { Timers } from '@assay/service-kit'
import { executionTables } from '../copies/tables.ts'
import type { Copies } from '../references/copies.ts'
import { findReferences } from '../references/find-references.ts'

/** Milliseconds to wait for tables, templates and variables that were just created. */
const timeoutMs = 2_000
const pauseMs = 100

/** Why an item can never be evaluated, with the field's path within the item. */
export interface ItemProblem {
  id: number
  path: string
  message: string
}

export interface Referring {
  tenant: string
  assetId: number
  filter: SqlText | undefined
  metrics: readonly Metric[]
  items: readonly ItemRecord[]
}

export interface FoundReferences {
  table: TableMessage
  references: References
  problems: ItemProblem[]
}

/**
 * The references of a definition. Waits up to two seconds for missing ones, because the caller may just have created
 * them. `undefined` means there is no local read model of the table.
 */
export async function referencesOf(
  deps: { documents: Copies; timers: Pick<Timers, 'sleep'> },
  asked: Referring,
): Promise<FoundReferences | undefined> {
  for (let waited = 0; ; waited += pauseMs) {
    const found = await foundReferences(deps.documents, asked)
    const isComplete = found !== undefined && found.problems.length === 0 && hasVariables(asked, found.references)
    if (isComplete || waited >= timeoutMs) return found
    await deps.timers.sleep(pauseMs)
  }
}

async function foundReferences(documents: Copies, asked: Referring): Promise<FoundReferences | undefined> {
  const { tenant, assetId, items, metrics } = asked
  const stored = await documents.get(executionTables, tenant, assetId)
  if (stored === undefined) return undefined
  const { table } = stored.document
  const selects = metrics.flatMap((metric) => (metric.kind === 'select' ? [metric.select.sql] : []))
  const references = await findReferences(documents, tenant, table, allNeeds([needsOf(items), { selects }]))
  const problems = items.flatMap((item) => {
    const planned = planItem(item, table.columns, references)
    return 'problem' in planned ? [{ id: item.id, ...planned.problem }] : []
  })
  return { table, references, problems }
}

function hasVariables({ filter, metrics, items }: Referring, { variables }: References): boolean {
  const texts = [
    ...(filter ? [filter.sql] : []),
    ...metrics.flatMap(writtenIn).map(({ text }) => text.sql),
    ...items.flatMap((item) => item.filter ?? []),
  ]
  return texts.flatMap(variableKeys).every((key) => Object.hasOwn(variables, key))
}
