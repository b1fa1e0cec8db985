import { z } from 'zod'
import type { Sabotage } from './sabotage.ts'

/** The parsed part of vitest's JSON report. */
export const report = z.object({
  testResults: z.array(
    z.object({
      message: z.string().optional(),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).nullish() }),
      ),
    }),
  ),
})

export interface Verdict {
  isRed: boolean
  /** One line: the message of the test, or why it does not count. */
  line: string
}

const longest = 220
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with one.
const colours = /\u001b\[[0-9;]*m/g

/** The first line of a message, without colours, shortened to fit a table. */
function lineOf(message: string): string {
  const line = message.replace(colours, '').split('\n')[0] ?? ''
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line
}

/**
 * Whether an assertion of a test failed with the expected message. A test file that does not compile, services that do not
 * start, and any other failure do not count.
 */
export function verdictOf(written: unknown, { says }: Pick<Sabotage, 'says'>): Verdict {
  const { testResults } = report.parse(written)
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const failures = tests.flatMap(({ status, failureMessages }) => (status === 'failed' ? (failureMessages ?? []) : []))
  const asserted = failures.filter((message) => message.replace(colours, '').startsWith('AssertionError'))
  const fitting = asserted.find((message) => says.test(message.replace(colours, '')))
  if (fitting !== undefined) return { isRed: true, line: lineOf(fitting) }
  const [other] = asserted.length > 0 ? asserted : failures
  if (other !== undefined) return { isRed: false, line: `failed for another reason: ${lineOf(other)}` }
  const [message] = testResults.flatMap((each) => (each.message ? [each.message] : []))
  if (message !== undefined) return { isRed: false, line: `did not reach its tests: ${lineOf(message)}` }
  const passed = tests.filter(({ status }) => status === 'passed').length
  return { isRed: false, line: passed > 0 ? `stayed green (${passed} passed)` : 'ran no test' }
}
