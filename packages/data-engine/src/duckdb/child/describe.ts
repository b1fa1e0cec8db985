import { type Described, type DescribePlan, describedRows } from '../../described.ts'
import { quoteName, textLiteral } from '../../sql/quote.ts'
import {
  type ContentSketch,
  hashCharacters,
  hashesPerColumn,
  noContent,
  sketchOf,
} from '../../states/content-sketch.ts'
import { rowsOf } from '../sources/sql.ts'
import { openSession, orChanged, type RunContext, type Session } from './session.ts'

/** The columns of a dataset as they are now, with sketches of their first values. */
export async function describe(
  context: RunContext,
  { plan: { dataset }, contentKey }: { plan: DescribePlan; contentKey: string },
): Promise<Described> {
  context.progress({ stage: 'READING', fraction: null })
  const session = await openSession(context, dataset, null, { isLook: true })
  const { mounted } = session
  return orChanged(context, session, async () => {
    const required = (await mounted.required?.()) ?? new Set()
    const content = await contentOf(context, session, contentKey)
    return {
      columns: mounted.columns.map(({ name, dataType }, index) => ({
        name,
        dataType,
        nullable: !required.has(name),
        content: content[index] ?? noContent,
      })),
      warnings: mounted.warnings,
      elapsedMs: Math.round(performance.now() - context.startedTick),
    }
  })
}

/** No sketches if the rows cannot be read: the columns are known without them. */
async function contentOf(
  { signal }: RunContext,
  { connection, mounted }: Session,
  contentKey: string,
): Promise<ContentSketch[]> {
  const { relation, columns } = mounted
  const hashes = columns.map(
    ({ name }, index) =>
      `left(sha256(${textLiteral(contentKey)} || CAST(${quoteName(name)} AS VARCHAR)), ${hashCharacters}) AS c${index}`,
  )
  const head = `(SELECT * FROM ${relation} AS asset LIMIT ${describedRows(columns.length)})`
  try {
    const rows = await rowsOf(connection, `SELECT ${hashes.join(', ')} FROM ${head}`)
    const max = hashesPerColumn(columns.length)
    return columns.map((_, index) =>
      sketchOf(
        rows.map((row) => hashOf(row[`c${index}`])),
        max,
      ),
    )
  } catch {
    signal.throwIfAborted()
    return []
  }
}

const hashOf = (value: unknown) => (typeof value === 'string' ? value : null)
