import { noContent } from '@assay/data-engine'
import { describe, expect, it } from 'vitest'
import type { RunGiven } from '../kinds/judging.ts'
import { allSteps } from '../kinds/steps.ts'
import { thresholdOfPercentage, thresholdRecordOf } from '../threshold.ts'
import type { SchemaDriftPolicy } from './definition.ts'
import { schemaDrift } from './kind.ts'
import { changesOf } from './records.ts'

const startedAt = '2026-11-20T10:00:00.000Z'
const flags = { assetAddition: false, assetDeletion: false, assetMetaData: false, metaDataConfigs: [] }
const item = (id: number, config: object) => ({
  ...{ id, ruleId: 7, executionOrder: id, thresholdConfig: null, assetId: 11 },
  schemaDriftRuleConfig: { ...flags, assetRelationChange: null, dataType: null, ...config },
})
const policyOf = (changes: Partial<SchemaDriftPolicy> = {}) => {
  const definition: SchemaDriftPolicy = {
    ...{ policyId: 7, assetId: 11, timeoutMinutes: null, items: [], treatZeroRowsAsSuccess: false },
    severity: {
      ...{ added: 'WARNING', removed: 'ERROR', renamed: 'ERROR', typeWidened: 'WARNING', typeChanged: 'ERROR' },
      ...{ nullability: 'WARNING', order: 'IGNORE' },
    },
    score: {
      ...{ strategy: 'WEIGHTAGE', items: [], verdictBy: 'ITEMS' },
      threshold: thresholdRecordOf(thresholdOfPercentage(100)),
    },
    ...changes,
  }
  return schemaDrift.open({ definition, shown: { items: [] } })(3)
}

/** Columns as `name type`, all of which may be NULL. */
const columns = (...texts: string[]) =>
  texts.map((text) => {
    const [name = '', dataType = ''] = text.split(' ')
    return { name, dataType, nullable: true, content: noContent }
  })
const runOf = (given: Partial<RunGiven> & { crawled?: string[] } = {}): RunGiven => {
  const { crawled = ['a INTEGER', 'b DATE'], ...rest } = given
  const references = {
    variables: {},
    udf: () => undefined,
    lookup: () => undefined,
    tables: () => [],
    views: () => [],
    carriesTag: () => undefined,
  }
  return {
    ...{ startedAt, executionType: 'FULL', itemSelection: null, markKey: null },
    sides: [{ side: 'ONE', assetId: 11, columns: columns(...crawled), references, mark: null }],
    ...rest,
  }
}
const judged = (run: RunGiven, now: string[], policy = policyOf()) =>
  allSteps(policy.judge(run, [{ kind: 'DESCRIBE', side: 'ONE', columns: columns(...now) }], new Map()))
const kindsOf = ({ outcomes }: ReturnType<typeof judged>) =>
  outcomes.map((outcome) => changesOf(outcome).map(({ kind, name }) => `${kind} ${name}`))
const learnt = (...texts: string[]) => schemaDrift.learn?.(11, columns(...texts), startedAt)

describe('a schema drift run', () => {
  it('given a schema that the last run learned, then it compares with that, else with the schema of the crawl', () => {
    expect(kindsOf(judged(runOf({ learned: learnt('a INTEGER') }), ['a INTEGER', 'b DATE']))).toEqual([['ADDED b']])
    expect(kindsOf(judged(runOf(), ['a INTEGER']))).toEqual([['REMOVED b']])
    const elsewhere = schemaDrift.learn?.(12, columns('z DATE'), startedAt)
    expect(kindsOf(judged(runOf({ learned: elsewhere }), ['a INTEGER', 'b DATE']))).toEqual([[]])
  })

  it('given a crawl that started it, then it compares the schema of the crawl, not the current one', () => {
    const run = runOf({ learned: learnt('a INTEGER'), afterCrawl: true, crawled: ['a BIGINT'] })
    expect(kindsOf(judged(run, ['a VARCHAR', 'c DATE']))).toEqual([['TYPE_WIDENED a']])
  })

  it('given its changes, then the worst one decides the verdict, and unchanged columns the percentage', () => {
    const learned = learnt('a INTEGER', 'b DATE', 'c DATE', 'd DATE')
    const warned = judged(runOf({ learned }), ['a BIGINT', 'b DATE', 'c DATE', 'd DATE'])
    expect(warned).toMatchObject({ verdict: 'WARNING', qualityScore: 75, outcomes: [{ itemId: 7, value: '1' }] })
    expect(judged(runOf({ learned }), ['a BIGINT', 'b DATE', 'c DATE']).verdict).toBe('ERRORED')
    const moved = judged(runOf({ learned }), ['b DATE', 'c DATE', 'd DATE', 'a INTEGER'])
    expect([moved.verdict, moved.qualityScore, kindsOf(moved)]).toEqual(['SUCCESSFUL', 100, [['ORDER a']]])
  })

  it('given items with flags, then each lists the kinds that it counts', () => {
    const policy = policyOf({
      items: [
        item(1, { assetAddition: true }),
        item(2, { assetDeletion: true, dataType: true }),
        item(3, { assetMetaData: true }),
      ],
    })
    const found = judged(runOf({ learned: learnt('a INTEGER', 'b DATE') }), ['a VARCHAR', 'c DATE'], policy)
    expect(kindsOf(found)).toEqual([['ADDED c'], ['REMOVED b', 'TYPE_CHANGED a'], ['TYPE_CHANGED a']])
  })

  it('given no change within a day, then the schema that was learned before stays valid', () => {
    const learned = learnt('a INTEGER')
    const at = (time: string) => judged(runOf({ learned, startedAt: time }), ['a INTEGER']).learned
    expect(at('2026-11-21T09:59:59.000Z')).toBeUndefined()
    expect(at('2026-11-21T10:00:00.000Z')).toMatchObject({ at: '2026-11-21T10:00:00.000Z' })
    expect(judged(runOf({ learned }), ['a BIGINT']).learned).toMatchObject({ columns: [{ dataType: 'BIGINT' }] })
  })

  it('given its records, then the item has its drift and definition', () => {
    const policy = policyOf({ items: [item(1, { assetAddition: true })] })
    const { outcomes } = judged(runOf({ learned: learnt('a INTEGER') }), ['a INTEGER', 'b DATE'], policy)
    const of = { executionId: 5, requestId: 'schema-drift-5', itemSelection: null }
    const ended = { ...of, startedAt, finishedAt: startedAt, includeInQualityScore: true }
    const { executions, results } = policy.records({ ...ended, outcomes, hidden: new Set() })
    const drift = { addedNames: ['b'], deletedNames: [], modifiedNames: [], addedCount: 1, backingAssetId: 11 }
    expect(executions).toMatchObject([{ id: 5001, status: 'WARNING', item: { id: 1, ruleVersion: 3 }, drift }])
    expect(results).toMatchObject([{ ruleItemId: 1, success: false, resultPercentage: 50, drift }])
    expect(policy.summary?.(outcomes)).toBe('The schema changed since the last run. Columns: 1 added.')
  })
})
