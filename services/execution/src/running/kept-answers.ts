import { z } from 'zod'
import { sideResult } from '../execution/run.ts'
import type { Answer } from './ask-engine.ts'

const result = z.discriminatedUnion('kind', [
  z.object({ id: z.int(), kind: z.literal('rows'), scanned: z.int(), failed: z.int() }),
  z.object({
    ...{ id: z.int(), kind: z.literal('value'), value: z.string().nullable(), scanned: z.int() },
    isText: z.literal(true).exactOptional(),
  }),
  z.object({ id: z.int(), kind: z.literal('error'), message: z.string() }),
])
const side = z.enum(['ONE', 'LEFT', 'RIGHT'])

/** The answer to a measurement that stores no rows. `problems`: entries. */
const answer = z.object({
  /** The index of the request in the run. */
  index: z.int(),
  found: z.object({
    kind: z.literal('MEASURE'),
    side,
    results: z.array(result),
    problems: z.array(z.tuple([z.int(), z.string()])),
    rowsScanned: z.int(),
  }),
  sides: z.array(sideResult.omit({ mark: true }).extend({ reached: z.string().nullable() })),
  engineMs: z.number(),
})
const answers = z.array(answer)
type KeptAnswer = z.infer<typeof answer>

/** Answers as text, by the index of their requests. Only answers to measurements can be kept. Pure. */
export function answersText(all: ReadonlyMap<number, Answer>): string {
  const kept = [...all].map(([index, { found, sides, engineMs }]): z.input<typeof answer> => {
    if (found.kind !== 'MEASURE') throw new Error(`The answer to a request ${found.kind} cannot be kept.`)
    return answer.parse({ index, found: { ...found, problems: [...found.problems] }, sides, engineMs })
  })
  return JSON.stringify(kept)
}

/** The answers in a text. Pure. */
export function answersOf(text: string): ReadonlyMap<number, Answer> {
  return new Map(answers.parse(JSON.parse(text)).map((kept) => [kept.index, answerOf(kept)]))
}

const answerOf = ({ found, sides, engineMs }: KeptAnswer): Answer => ({
  found: { ...found, problems: new Map(found.problems) },
  sides,
  kept: null,
  engineMs,
})
