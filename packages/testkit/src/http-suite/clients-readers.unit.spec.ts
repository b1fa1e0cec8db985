import { describe, expect, test } from 'vitest'
import { assemblyListAnswer, labelsAnswer, watchAnswer } from './clients-catalog-readers.ts'
import { execution, ruleListAnswer, runResult } from './clients-policy-readers.ts'
import { type Client, cannotRead, clients, type Reader } from './clients-reader.ts'

const at = '2026-11-20T10:00:00.000Z'
const run = {
  id: 1,
  ruleId: 2,
  ruleName: 'a policy',
  ruleVersion: 1,
  executionMode: 'API',
  executionStatus: 'RUNNING',
  resultStatus: 'RUNNING',
  executionType: 'FULL',
  startedAt: at,
  thresholdLevel: { type: 'ABSOLUTE', config: { direction: 'ABOVE', success: 100 }, success: 100, warning: null },
  includeInQualityScore: true,
  dataPersistenceEnabled: true,
  ruleSelectionEnabled: false,
  allowRerun: true,
  isProtectedResource: false,
  isResourceRequestedAtRunTime: false,
  participatingColumns: [],
  policyResultStatusStrategy: 'WEIGHTAGE',
  sparkSQLFilterType: 'STATIC',
  rightSparkSQLFilterType: 'STATIC',
  autoRetryEnabled: false,
}
const source = {
  id: 1,
  name: 'FILE',
  sourceModel: null,
  connectionTypeId: null,
  miniProfiling: false,
  propertyTemplates: [],
}
const assembly = {
  name: 'a',
  description: '',
  tenantId: 'default',
  sourceType: source,
  crawler: { name: 'FILE' },
  conn: null,
  createdAt: at,
  updatedAt: at,
}
const watch = { id: 1, assetId: 2, userId: 'ada', createdAt: at, updatedAt: at }

const readBy = (reader: Reader, body: unknown): Client[] =>
  clients.filter((client) => cannotRead(reader, client, body).length === 0)

describe('the schemas of the three clients', () => {
  test.each<[what: string, reader: Reader, body: unknown, by: Client[]]>([
    ['a complete run', execution, run, ['A', 'B', 'C']],
    ['a run with the score strategy inside', execution, { ...run, policyScoreStrategy: 'WEIGHTAGE' }, ['B', 'C']],
    ['a run of the shorter shape', execution, { ...run, allowRerun: undefined }, []],
    ['a run without the name of its policy', execution, { ...run, ruleName: undefined }, ['A', 'C']],
    ['a run with an id as text', execution, { ...run, ruleId: '2' }, ['B', 'C']],
    ['a run with a null list', execution, { ...run, participatingColumns: null }, ['B', 'C']],
    ['a run with a bare threshold', execution, { ...run, thresholdLevel: { success: 1, warning: null } }, ['B', 'C']],
    ['assemblies', assemblyListAnswer, { data: [assembly] }, ['A', 'B', 'C']],
    [
      'assemblies whose source type has an additional key',
      assemblyListAnswer,
      { data: [{ ...assembly, sourceType: { ...source, icon: '' } }] },
      ['A'],
    ],
    [
      'assemblies with a null description',
      assemblyListAnswer,
      { data: [{ ...assembly, description: null }] },
      ['B', 'C'],
    ],
    ['assemblies with a connection', assemblyListAnswer, { data: [{ ...assembly, conn: {} }] }, []],
    ['null instead of assemblies', assemblyListAnswer, { data: null }, []],
    ['labels', labelsAnswer, [{ key: 'a', value: 'b' }], ['A', 'B', 'C']],
    ['labels with a type', labelsAnswer, [{ key: 'a', value: 'b', labelType: 'ASSET' }], []],
    ['a watch', watchAnswer, { data: watch }, ['A', 'B', 'C']],
    ['a watch with an additional key', watchAnswer, { data: { ...watch, tenantId: 'default' } }, []],
    [
      'the complete result of a running run',
      runResult,
      { execution: run, items: [], meta: {}, result: { ruleExecutionType: 'X', status: 'RUNNING' } },
      ['A', 'B', 'C'],
    ],
    [
      'a result without items',
      runResult,
      { execution: run, meta: {}, result: { ruleExecutionType: 'X', status: 'RUNNING' } },
      [],
    ],
    [
      'a list without the count of archived policies',
      ruleListAnswer,
      { rules: [], meta: { count: 0, page: 0, size: 25 } },
      [],
    ],
  ])('%s', (_, reader, body, by) => {
    expect(readBy(reader, body)).toEqual(by)
  })
})
