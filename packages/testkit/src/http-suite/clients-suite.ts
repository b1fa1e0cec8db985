import { beforeAll, describe, expect, test } from 'vitest'
import {
  assetCalls,
  type ClientCall,
  catalogCalls,
  policyCalls,
  runListCalls,
  tagServiceCalls,
} from './clients-calls.ts'
import { clientDecisions } from './clients-decisions.ts'
import { ask, type ClientFixtures, faultsFor, faultsInTheEnd, makeClientFixtures } from './clients-fixtures.ts'
import { clientJobs } from './clients-jobs.ts'
import { clientRuns } from './clients-runs.ts'
import { clientTransport } from './clients-transport.ts'
import type { Target } from './target.ts'

/** Three existing client libraries (A strict, B, C closed), call by call: what they send, and what they need back. */
export function clientsSuite(open: () => Promise<Target>): void {
  describe('existing clients', () => {
    let fixtures: ClientFixtures
    const at = () => fixtures
    beforeAll(async () => {
      fixtures = await makeClientFixtures(await open())
    }, 300_000)

    describe.each([
      ['assemblies, crawls, types', catalogCalls],
      ['assets', assetCalls],
      ['tags of the tag service', tagServiceCalls],
      ['policies', policyCalls],
    ])('%s', (_, calls) => theirCalls(at, calls))
    clientJobs(at)
    clientRuns(at)
    describe('lists of executions', () => theirCalls(at, runListCalls))
    clientTransport(open, at)
    clientDecisions(at)
  })
}

/** Each call once: all clients that make it send the same. */
function theirCalls(at: () => ClientFixtures, calls: readonly ClientCall[]): void {
  const cases = calls.map((call): [string, ClientCall] => [`${call.method} ${call.path}: ${call.by.join()}`, call])
  test.each(cases)('%s read the answer', async (_, { by, method, path, body, reads }) => {
    const faults = await faultsInTheEnd(async () =>
      faultsFor(by, reads, await ask(at(), method, path, body?.(at().names))),
    )
    expect(faults).toEqual([])
  })
}
