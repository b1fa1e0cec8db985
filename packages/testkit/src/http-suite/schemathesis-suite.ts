import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { check } from '../../../../tools/schemathesis.mjs'
import { fedDocument } from './fed-document.ts'
import type { Target } from './target.ts'

/** The extent of the tests; environment variables such as `SCHEMATHESIS_EXAMPLES` override it. */
export interface Bounds {
  /** Per operation in the fuzzing phase. */
  examples: number
  /** Every nth case in the coverage phase. */
  share: number
  /** Number of rounds with 30 call chains each. */
  rounds: number
  /** Comma-separated. */
  phases: string
  /** A regular expression of paths that only the stateful phase calls; none if empty. */
  except: string
}

/**
 * Operations on one policy, for seven of the types. They have the same code and parameters as those of data quality and
 * reconciliation, and make up most of the document.
 */
const alike =
  '/rules/(equality|data-drift|schema-drift|profile-anomaly|auto-anomaly|data-cadence|data-freshness)/(?!.*what-if)'

/** Number of call chains per round. */
const scenarios = 30
const allPhases = 'examples,coverage,fuzzing,stateful'

/** The findings, without the progress bars in front of them, which are too long for a log. */
function findingsOf(output: string): string {
  const start = output.search(/^=+ (ERRORS|FAILURES) =+$/m)
  const lines = output.slice(Math.max(start, 0)).split('\n')
  return lines
    .map((line) => line.slice(0, 400))
    .join('\n')
    .slice(start < 0 ? -20_000 : 0, start < 0 ? undefined : 20_000)
}

/**
 * Property-based tests from the OpenAPI document. In every phase, some calls must succeed. The target must not limit
 * failed authentications, because the tests send a thousand wrong keys. With `SCHEMATHESIS_EXAMPLES=25
 * SCHEMATHESIS_SHARE=1 SCHEMATHESIS_ROUNDS=20 SCHEMATHESIS_EXCEPT=` the tests take many minutes.
 */
export function schemathesisSuite(open: () => Promise<Target>, bounds: Partial<Bounds> = {}): void {
  const { env } = process
  const examples = Number(env.SCHEMATHESIS_EXAMPLES ?? bounds.examples ?? 1)
  const share = Number(env.SCHEMATHESIS_SHARE ?? bounds.share ?? 96)
  const rounds = Number(env.SCHEMATHESIS_ROUNDS ?? bounds.rounds ?? 1)
  const phases = env.SCHEMATHESIS_PHASES ?? bounds.phases ?? allPhases
  const except = env.SCHEMATHESIS_EXCEPT ?? bounds.except ?? alike

  test('given the OpenAPI document, when it is tested against the running server, then the server conforms to it', async () => {
    const target = await open()
    const folder = await mkdtemp(join(tmpdir(), 'assay-schemathesis-'))
    try {
      const document = join(folder, 'openapi.json')
      await writeFile(document, await fedDocument(target))
      const { baseUrl, admin } = target
      const asked = {
        document,
        baseUrl,
        admin,
        folder,
        scenarios,
        examples,
        share,
        rounds,
        phases,
        ...(except === '' ? {} : { except }),
      }
      const { code, output, chains, statuses } = await check(asked)
      expect(code, findingsOf(output)).toBe(0)
      if (phases.includes('stateful'))
        expect(chains, JSON.stringify(statuses)).toBeGreaterThanOrEqual(rounds * scenarios)
      // The run proves nothing if almost all calls are refused, because of a wrong key or unknown ids.
      for (const phase of phases.split(',')) {
        const ofPhase = Object.entries(statuses).filter(([name]) => name.startsWith(`${phase} `))
        const sum = (wanted: RegExp) =>
          ofPhase.reduce((count, [name, times]) => count + (wanted.test(name) ? times : 0), 0)
        expect(sum(/ 2\d\d$/), `${phase}: ${JSON.stringify(statuses)}`).toBeGreaterThan(sum(/./) / 50)
        expect(sum(/ 401$/), `${phase}: ${JSON.stringify(statuses)}`).toBeLessThan(sum(/./) / 50)
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }, 3_600_000)
}
