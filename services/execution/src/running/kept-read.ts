import type { Artifacts } from '@assay/artifacts'
import { type TakenRows, takenTable } from '@assay/data-engine'
import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'
import { sideResult } from '../execution/run.ts'
import type { Answer, OfSide, ReadBefore } from './ask-engine.ts'
import { localFile } from './local-file.ts'

/** The file with the answers, and the one with the rows. */
export const answersFile = 'answers.json'
export const takenFile = 'rows.parquet'

const result = z.discriminatedUnion('kind', [
  z.object({ id: z.int(), kind: z.literal('rows'), scanned: z.int(), failed: z.int() }),
  z.object({
    ...{ id: z.int(), kind: z.literal('value'), value: z.string().nullable(), scanned: z.int() },
    isText: z.literal(true).exactOptional(),
  }),
  z.object({ id: z.int(), kind: z.literal('error'), message: z.string() }),
])
const ofSide = sideResult.omit({ mark: true }).extend({ reached: z.string().nullable() })

/** The answer to a measurement that stores no rows. `index`: of the request in the run. `problems`: entries. */
const answer = z.object({
  index: z.int(),
  found: z.object({
    ...{ kind: z.literal('MEASURE'), side: sideResult.shape.side, results: z.array(result) },
    ...{ problems: z.array(z.tuple([z.int(), z.string()])), rowsScanned: z.int() },
  }),
  sides: z.array(ofSide),
  engineMs: z.number(),
})
const column = z.object({ name: z.string(), dataType: z.string(), stored: z.string() })
const taken = z.object({ columns: z.array(column), side: ofSide, engineMs: z.number() })
const keptRead = z.object({ answers: z.array(answer), taken: taken.exactOptional() })
type KeptAnswer = z.infer<typeof answer>

/** The answers and the stored rows as text. Only answers to measurements can be kept. Pure. */
export function readText(answers: ReadonlyMap<number, Answer>, rows: TakenRows | undefined): string {
  const kept = [...answers].map(([index, { found, sides, engineMs }]): z.input<typeof answer> => {
    if (found.kind !== 'MEASURE') throw new Error(`The answer to a request ${found.kind} cannot be kept.`)
    return answer.parse({ index, found: { ...found, problems: [...found.problems] }, sides, engineMs })
  })
  return JSON.stringify({ answers: kept, ...(rows === undefined ? {} : { taken: takenOf(rows) }) })
}

function takenOf({ rows: rowsScanned, reached, warnings, touched, columns, elapsedMs }: TakenRows) {
  const side: OfSide = {
    ...{ side: 'LEFT', rowsScanned, reached, warnings, engineMs: elapsedMs },
    touched: touched === null ? [] : [{ itemId: null, ...touched }],
  }
  return taken.parse({ columns, side, engineMs: elapsedMs })
}

/**
 * What a run kept before it waited. `folder`: for a copy of the rows, if they are not on this machine. Error:
 * `unprocessable` if it is gone.
 */
export async function openRead(
  artifacts: Pick<Artifacts, 'readText' | 'open'>,
  key: string,
  folder: string,
): Promise<ReadBefore> {
  const text = await artifacts.readText(`${key}/${answersFile}`)
  if (text === undefined) throw gone()
  const kept = keptRead.parse(JSON.parse(text))
  const answers = new Map(kept.answers.map((one) => [one.index, answerOf(one)]))
  if (kept.taken === undefined) return { answers }
  const { columns, side, engineMs } = kept.taken
  const file = await localFile(artifacts, `${key}/${takenFile}`, folder)
  if (file === undefined) throw gone()
  const table = takenTable(file, columns)
  return { answers, taken: { table, side, engineMs } }
}

const gone = () =>
  new AssayError(
    'unprocessable',
    'What the run read of the left table before it waited was removed. Start the run again.',
  )

const answerOf = ({ found, sides, engineMs }: KeptAnswer): Answer => ({
  found: { ...found, problems: new Map(found.problems) },
  sides,
  kept: null,
  engineMs,
})
