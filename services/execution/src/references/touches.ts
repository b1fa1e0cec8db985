import type { ItemRecord } from '@assay/contracts'
import { type DataEngine, type Touched, touchedTogether, type WrittenText, writtenIn } from '@assay/data-engine'
import { boundVariables, needsOf, planItem } from '@assay/reliability'
import type { Execution } from '../execution/execution.ts'
import type { SideName } from '../execution/run.ts'
import type { Copies } from './copies.ts'
import { findReferences, type ReferringTable } from './find-references.ts'
import type { DefinedTable } from './protected-definition.ts'

/**
 * The columns and tables that users' SQL reads, by item id; the id `null` is the policy's filter. Absent if there is
 * no SQL, or if they are unknown.
 */
export type Touches = ReadonlyMap<number | null, Touched>

/**
 * The columns and tables that the SQL of a definition reads, with the current templates and variables. Does not open
 * the source. Throws the errors of the engine.
 */
export async function touchesOfDefinition(
  { documents, engine }: { documents: Copies; engine: Pick<DataEngine, 'touches'> },
  {
    table,
    filter,
    items,
  }: { table: DefinedTable & ReferringTable; filter: string | null; items: readonly ItemRecord[] },
  call: { tenant: string; signal: AbortSignal },
): Promise<Touches> {
  const references = await findReferences(documents, call.tenant, table, needsOf(items))
  const variables = boundVariables(references.variables)
  const parts: { id: number | null; texts: WrittenText[] }[] = items.flatMap((item) => {
    const planned = planItem(item, table.columns, references)
    return 'metric' in planned ? [{ id: item.id, texts: writtenIn(planned.metric) }] : []
  })
  if (filter !== null) parts.push({ id: null, texts: [{ text: { sql: filter, variables }, form: 'expression' }] })
  const found = (
    await engine.touches(
      parts.flatMap(({ texts }) => texts),
      call,
    )
  ).values()
  const touches = new Map<number | null, Touched>()
  for (const { id, texts } of parts) {
    const each = texts.map(() => found.next().value)
    const known = touchedTogether(each.map((one) => (one === undefined || 'problem' in one ? undefined : one)))
    if (known !== undefined) touches.set(id, known)
  }
  return touches
}

/**
 * The columns and tables that the SQL of a run read on a side, as the engine reported. Empty for a failed run. Pure.
 */
export function touchesOfRun(state: Execution, side: SideName): Touches {
  const found = state.status === 'succeeded' ? state.result.sides.find((one) => one.side === side) : undefined
  return new Map(found?.touched.map(({ itemId, ...one }) => [itemId, one]))
}
