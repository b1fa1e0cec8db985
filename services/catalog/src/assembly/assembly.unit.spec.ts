import { source } from '@assay/data-engine'
import { describe, expect, it } from 'vitest'
import { type AssemblyState, evolveAssembly, initialAssembly } from './assembly.ts'
import { type AssemblyCommand, decideAssembly } from './decide.ts'
import { assertSecretsStay, maskedConfiguration, withKeptSecrets } from './secrets.ts'

const by = { at: '2026-01-01T00:00:00.000Z', by: 'ann' }
const definition = {
  name: 'sales',
  description: '',
  source: { sourceType: 'FILE' as const, path: '/data' },
  schedule: null,
  timeZone: 'UTC',
  autoProfile: false,
  autoAnomaly: false,
}
const create: AssemblyCommand = {
  ...by,
  type: 'CreateAssembly',
  assemblyId: 1,
  definition,
  sourceTypeId: 52,
  uidPrefix: 'sales',
}
const given = (...commands: AssemblyCommand[]): AssemblyState =>
  commands.reduce(
    (state, command) => decideAssembly(command, state).reduce(evolveAssembly, state),
    initialAssembly as AssemblyState,
  )
const begin = (crawlId: number, replaces: number | null = null): AssemblyCommand => ({
  ...by,
  type: 'BeginCrawl',
  crawlId,
  replaces,
})

describe('an assembly', () => {
  it('given no assembly, then it cannot be changed, deleted or crawled', () => {
    for (const command of [{ ...by, type: 'DeleteAssembly' } as const, begin(1)])
      expect(() => decideAssembly(command, initialAssembly)).toThrow('no such assembly')
  })

  it('given an update, then only a different definition makes an event and replaces the first', () => {
    const update = { ...by, type: 'UpdateAssembly', definition, sourceTypeId: 52 } as const
    expect(decideAssembly(update, given(create))).toEqual([])
    const renamed = { ...update, definition: { ...definition, name: 'new' } }
    expect(given(create, renamed)).toMatchObject({ definition: { name: 'new' }, uidPrefix: 'sales' })
    expect(() => decideAssembly({ ...update, sourceTypeId: 53 }, given(create))).toThrow('sourceType')
  })

  it('given a secret that is sealed again, then it is replaced unless it has changed meanwhile', () => {
    const database = source.parse({
      ...{ sourceType: 'POSTGRESQL', host: 'db', database: 'shop', user: 'assay', password: 'sealed before' },
    })
    const made = given({ ...create, definition: { ...definition, source: database } })
    const again = (before: string) =>
      ({ ...by, type: 'SealAgain', secrets: [{ key: 'password', before, after: 'sealed again' }] }) as const
    const [event] = decideAssembly(again('sealed before'), made)
    expect(event).toMatchObject({
      type: 'AssemblyUpdated',
      data: { definition: { source: { password: 'sealed again' } } },
    })
    expect(decideAssembly(again('sealed by somebody else'), made)).toEqual([])
    expect(decideAssembly(again('sealed before'), initialAssembly)).toEqual([])
  })

  it('given a running crawl, then a second is refused unless it replaces one that has ended', () => {
    const state = given(create, begin(1))
    expect(() => decideAssembly(begin(2), state)).toThrow('Crawl 1 of this assembly is running')
    expect(decideAssembly(begin(1), state)).toEqual([])
    expect(decideAssembly(begin(2, 1), state)).toHaveLength(1)
    const end = (crawlId: number) => ({ ...by, type: 'EndCrawl', crawlId }) as const
    expect(decideAssembly(end(2), state)).toEqual([])
    expect(given(create, begin(1), end(1), begin(2))).toMatchObject({ crawlId: 2 })
  })

  it('given a schedule, then a due time starts one crawl, and renaming the assembly keeps the due time', () => {
    const hourly = { ...definition, schedule: '0 * * * *' }
    const due = '2026-01-01T01:00:00.000Z'
    const state = given({ ...create, definition: hourly } as AssemblyCommand)
    expect(state).toMatchObject({ due })
    const later = { at: '2026-01-01T01:30:00.000Z', by: 'ann' }
    const renamed = {
      ...later,
      type: 'UpdateAssembly',
      definition: { ...hourly, name: 'n' },
      sourceTypeId: 52,
    } as const
    expect(decideAssembly(renamed, state)).toMatchObject([{ data: { due } }])
    const scheduled = { due, nominal: due, next: '2026-01-01T02:00:00.000Z' }
    const taken = decideAssembly({ ...later, ...begin(1), scheduled } as AssemblyCommand, state).reduce(
      evolveAssembly,
      state,
    )
    expect(taken).toMatchObject({ crawlId: 1, due: scheduled.next })
    expect(() => decideAssembly({ ...later, ...begin(2, 1), scheduled } as AssemblyCommand, taken)).toThrow(
      'already started',
    )
    const skip = { ...later, type: 'SkipCrawl', scheduled, reason: 'r' } as const
    expect(decideAssembly(skip, taken)).toEqual([])
    expect(decideAssembly(skip, state).reduce(evolveAssembly, state)).toMatchObject({ due: scheduled.next })
  })

  it('given a deleted assembly, when its assets are marked as deleted, then its status is deleted', () => {
    const remove = { ...by, type: 'DeleteAssembly' } as const
    const finish = { ...by, type: 'FinishRemoval', assets: 3 } as const
    expect(decideAssembly(finish, given(create))).toEqual([])
    expect(given(create, remove)).toMatchObject({ status: 'deleting' })
    expect(given(create, remove, finish)).toMatchObject({ status: 'deleted' })
    expect(() => decideAssembly(remove, given(create, remove))).toThrow('no such assembly')
  })
})

describe('secrets', () => {
  it('are masked in answers and kept when the mask is sent back', () => {
    expect(maskedConfiguration(definition.source, ['path'])).toEqual({ path: '***' })
    expect(withKeptSecrets({ password: '***', user: 'u' }, { password: 'p' }, ['password'])).toEqual({
      password: 'p',
      user: 'u',
    })
    expect(withKeptSecrets({ path: '***' }, { path: '/x' }, ['password'])).toEqual({ path: '***' })
    expect(withKeptSecrets({ password: 'new' }, { password: 'p' }, ['password'])).toEqual({ password: 'new' })
  })
  it('are not kept for another server, or without the TLS that was demanded', () => {
    const before = source.parse({
      ...{ sourceType: 'POSTGRESQL', host: 'db.example.org', database: 'shop' },
      ...{ user: 'u', password: 'sealed', tls: true },
    })
    const changed = (change: object) => () => assertSecretsStay(source.parse({ ...before, ...change }), before)
    expect(changed({ schemas: ['public'], user: 'v', tls: true })).not.toThrow()
    expect(changed({ host: 'elsewhere.example.org' })).toThrow(
      'configuration.host: names another server, so configuration.password must be sent too.',
    )
    expect(changed({ port: 5433 })).toThrow('configuration.port')
    expect(changed({ tls: false })).toThrow('configuration.tls: no longer demands TLS')
    expect(changed({ sourceType: 'MARIADB', host: 'elsewhere.example.org' })).toThrow('configuration.host')
    const url = 'https://elsewhere.example.org'
    expect(changed({ sourceType: 'TRINO', url, catalog: 'c', host: undefined })).toThrow('configuration.url')
    expect(changed({ host: 'elsewhere.example.org', password: 'sent' })).not.toThrow()
  })
})
