import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type DatabaseSource, isDatabaseSource, source } from '../dataset.ts'
import type { RelationLocator } from '../locators.ts'
import { createReach, type ReachOptions } from './reach.ts'

const { signal } = new AbortController()
const settings = { host: 'db', database: 'shop', user: 'assay', password: 'sealed', maxConcurrentQueries: 1 }
const parsed = source.parse({ sourceType: 'POSTGRESQL', ...settings })
const stored: DatabaseSource | undefined = isDatabaseSource(parsed) ? parsed : undefined
const table: RelationLocator = {
  ...{ kind: 'relation', engine: 'POSTGRESQL', source: 7, schema: 's', table: 't', columns: [], fingerprint: '' },
}
const reachWith = (options: Partial<ReachOptions> = {}) =>
  createReach({
    sourceOf: async (tenant, id) => (tenant === 'default' && id === 7 ? stored : undefined),
    unseal: (sealed, tenant) => `${sealed} of ${tenant}`,
    hostsOf: () => null,
    lookup: async () => [{ address: '10.0.0.7' }],
    clock: { now: () => Date.now() },
    ...options,
  })

describe('reaching a database', () => {
  it('given a table, when its tenant reads it, then the checked address and the opened password are used', async () => {
    const target = await reachWith()(table, { tenant: 'default', signal }, async (found) => found)
    expect(target).toMatchObject({ addresses: ['10.0.0.7'], password: 'sealed of default' })
  })

  it.each<[string, Partial<ReachOptions>, string, string]>([
    ['a table of another tenant', {}, 'other', 'Crawl its assembly again'],
    ['a host that is not allowed', { hostsOf: () => [] }, 'default', 'ASSAY_ALLOWED_HOSTS'],
    ['an unknown host', { lookup: () => Promise.reject(new Error('ENOTFOUND')) }, 'default', 'was not found'],
    [
      'a name of which one address is link-local',
      { lookup: async () => [{ address: '10.0.0.7' }, { address: '169.254.169.254' }] },
      'default',
      'link-local',
    ],
  ])('given %s, then it is refused before anything is opened', async (_, options, tenant, sentence) => {
    const opened = reachWith(options)(table, { tenant, signal }, async () => expect.unreachable())
    await expect(opened).rejects.toThrow(sentence)
  })

  it('given a source with one session, when two calls come, then the second begins after the first has ended', async () => {
    const reach = reachWith()
    const steps: string[] = []
    const first = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const one = reach(table, { tenant: 'default', signal }, async () => {
      steps.push('first begins')
      begun.resolve()
      await first.promise
      steps.push('first ends')
    })
    await begun.promise
    const two = reach(table, { tenant: 'default', signal }, async () => void steps.push('second begins'))
    // Enough turns for the second to begin, if nothing held it back.
    for (let turn = 0; turn < 10; turn += 1) await setImmediate()
    expect(steps).toEqual(['first begins'])
    first.resolve()
    await Promise.all([one, two])
    expect(steps).toEqual(['first begins', 'first ends', 'second begins'])
  })
})
