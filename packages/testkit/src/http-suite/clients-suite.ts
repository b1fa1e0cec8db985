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

/** The calls of three existing client libraries, and the answers that they can read. */
export function clientsSuite(open: () => Promise<Target>): void {
  describe('existing clients', () => {
    let fixtures: ClientFixtures
    const at = () => fixtures
    beforeAll(async () => {
      fixtures = await makeClientFixtures(await open())
    }, 300_000)

    test.each([
      ['assemblies, crawls, types', catalogCalls],
      ['assets', assetCalls],
      ['tags of the tag service', tagServiceCalls],
      ['policies', policyCalls],
    ])(
      'each client can read the answers to its calls: %s',
      async (_, calls) => {
        expect(await faultsOfCalls(at(), calls)).toEqual([])
      },
      180_000,
    )
    clientJobs(at)
    clientRuns(at)
    test('each client can read the answers to its calls: lists of executions', async () => {
      expect(await faultsOfCalls(at(), runListCalls)).toEqual([])
    }, 180_000)
    clientTransport(open, at)
    clientDecisions(at)
  })
}

/** Makes each call once, in order: all clients send the same request. */
async function faultsOfCalls(at: ClientFixtures, calls: readonly ClientCall[]): Promise<string[]> {
  const all: string[] = []
  for (const { by, method, path, body, reads } of calls) {
    const faults = await faultsInTheEnd(async () => faultsFor(by, reads, await ask(at, method, path, body?.(at.names))))
    all.push(...faults.map((fault) => `${method} ${path}: ${fault}`))
  }
  return all
}
