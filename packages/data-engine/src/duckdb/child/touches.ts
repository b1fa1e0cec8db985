import type { Touched } from '../../sql/tree/touched.ts'
import { planParameters } from '../../sql/written.ts'
import type { WrittenText } from '../../sql/written-in.ts'
import { anyTable, parsed } from '../parse.ts'
import { connect } from './database.ts'
import type { RunContext } from './session.ts'

/** The columns and tables that SQL texts read. Mounts nothing, because parsing needs no tables. */
export async function touches(
  context: RunContext,
  texts: readonly WrittenText[],
): Promise<(Touched | { problem: string })[]> {
  const connection = await connect(context.instance, context.limits, context.tempFolder)
  context.onConnection(connection)
  const requests = texts.map(({ text, form, foreign }) => ({
    given: text,
    reach: foreign === undefined ? anyTable(form) : { form, tables: foreign.tables, isForeign: true },
  }))
  const found = await parsed(connection, requests, planParameters(new Date(context.startedAt).toISOString()))
  return found.map((one) => ('refused' in one ? { problem: one.refused.message } : one.touched))
}
