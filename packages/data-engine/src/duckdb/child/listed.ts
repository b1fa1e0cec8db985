import { AssayError } from '@assay/service-kit/errors'
import { createValueList, listedLimits, type ValuesPlan } from '../../listed-values.ts'
import type { ListedValues } from '../../plan.ts'
import { raw } from '../../sql/fragment.ts'
import { type Column, columnFinder } from '../../sql/predicate/column.ts'
import { duckdbDialect } from '../dialect.ts'
import { read } from './database.ts'
import { engineMessage } from './failure.ts'
import { openSession, orChanged, type RunContext } from './session.ts'

/** A value as text that every engine reads. */
function exported({ sql, text, type }: Column): string {
  return type.kind === 'timestamptz' ? `CAST(${duckdbDialect.asTimestamp(sql)} AS VARCHAR)` : text
}

/** The different values of a column, for an engine that cannot read the dataset. Errors: `too-large`, `invalid`. */
export async function listValues(context: RunContext, { dataset, column: name }: ValuesPlan): Promise<ListedValues> {
  context.progress({ stage: 'READING', fraction: null })
  const session = await openSession(context, dataset, null)
  const listed = await orChanged(context, session, async () => {
    const { connection, mounted, hidden } = session
    const column = columnFinder(mounted.columns, duckdbDialect)(name)
    const most = listedLimits.values + 1
    const query = raw(
      `SELECT DISTINCT ${exported(column)} AS v FROM ${mounted.relation} WHERE ${column.sql} IS NOT NULL LIMIT ${most}`,
    )
    const found = await read(connection, query).catch((error: unknown) => {
      throw new AssayError('unprocessable', `The lookup could not be read: ${engineMessage(error, hidden)}`)
    })
    const list = createValueList()
    for (const [value] of found.getRows()) list.add(String(value))
    return { dataType: column.dataType, values: list.values }
  })
  await session.assertUnchanged()
  return listed
}
