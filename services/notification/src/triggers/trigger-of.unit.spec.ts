import { operations } from '@assay/contracts'
import { describe, expect, it } from 'vitest'
import { triggerOf } from './trigger-of.ts'

function eventOf(type: string, data: object) {
  const frame = { specversion: '1.0', source: '/x', subject: 'x', datacontenttype: 'application/json', tenant: 't' }
  return { ...frame, id: 'e1', time: '2026-11-20T10:00:00.000Z', type, data }
}
const kindsOf = (type: string, data: object) =>
  triggerOf(eventOf(type, data)).contents.map(({ kind, assetId }) => [kind, assetId])

describe('notifications of an event', () => {
  it('given changed columns, then there is one notification for the table, and one for each changed column', () => {
    const change = {
      assetId: 11,
      uid: 'sales.orders',
      added: [{ assetId: 16, name: 'new' }],
      returned: [],
      changed: [{ id: 13 }],
      removed: [14],
      names: [{ assetId: 13, name: 'speed' }],
    }
    expect(kindsOf('io.assay.catalog.AssetSchemaChanged', change)).toEqual([
      ['SCHEMA_CHANGED', 11],
      ['SCHEMA_CHANGED', 13],
      ['ASSET_DELETED', 14],
    ])
    const { contents } = triggerOf(eventOf('io.assay.catalog.AssetSchemaChanged', change))
    expect(contents[0]?.text).toBe('Added: new. Changed: speed has another type. Removed: column 14.')
  })
  it.each([
    ['io.assay.catalog.AssetVanished', 'ASSET_DELETED'],
    ['io.assay.catalog.AssetReturned', 'ASSET_RETURNED'],
    ['io.assay.catalog.AssetFactsObserved', 'ASSET_CHANGED'],
    ['io.assay.catalog.AssetPlaced', 'ASSET_CHANGED'],
    ['io.assay.catalog.AssetTagAdded', 'TAGS_CHANGED'],
    ['io.assay.catalog.AssetTagRemoved', 'TAGS_CHANGED'],
    ['io.assay.catalog.AssetLabelsReplaced', 'LABELS_CHANGED'],
    ['io.assay.catalog.CommentAdded', 'COMMENT_ADDED'],
    ['io.assay.catalog.AssetConfigured', 'ASSET_CHANGED'],
  ])('given %s, then the kind is %s', (type, kind) => {
    expect(kindsOf(type, { assetId: 11, uid: 'u', rowCount: 3, tagId: 5, tagName: 'pii' })).toEqual([[kind, 11]])
  })
  it.each([
    ['WARNING', null, ['EXECUTION_WARNING']],
    ['ERRORED', null, ['EXECUTION_ERRORED']],
    ['ERRORED', 'The source is gone.', ['EXECUTION_FAILED']],
    ['SUCCESSFUL', null, ['EXECUTION_RECOVERED']],
  ])('given a run that ended %s with the error %s, then the kinds are %j', (resultStatus, error, kinds) => {
    const run = {
      executionId: 1,
      policyId: 7,
      policyName: 'p',
      policyType: 'DATA_QUALITY',
      assetId: 11,
      assetUid: 'u',
      resultStatus,
      error,
    }
    const { contents } = triggerOf(eventOf('io.assay.execution.ExecutionFinished', run))
    expect(contents.map(({ kind }) => kind)).toEqual(kinds)
  })
  it.each([
    [
      { rows: 10_000, failedRows: 2_836 },
      'speed is known',
      71.64,
      ', 2,836 of 10,000 rows; worst: speed is known 71.6 %',
    ],
    [{ rows: null, failedRows: null }, 'sum', null, '; worst: sum could not be evaluated'],
    [{ rows: 3, failedRows: 0 }, 'ids are distinct', 66.66, '; worst: ids are distinct 66.6 %'],
    [{ rows: 3_000, failedRows: 1 }, 'id is known', 99.9667, ', 1 of 3,000 rows; worst: id is known 99.9 %'],
  ])('given the counts of a run, then the text has them and the worst item', (rows, name, percent, text) => {
    const summary = { items: 5, failedItems: 3, ...rows, worst: { name, percent } }
    const about = { executionId: 5, policyType: 'DATA_QUALITY', resultStatus: 'ERRORED', summary, error: null }
    const run = { ...about, assetId: 11, policyId: 7, policyName: 'orders are clean', assetUid: 'orders.csv' }
    const [content] = triggerOf(eventOf('io.assay.execution.ExecutionFinished', run)).contents
    expect(content?.text).toBe(`orders are clean: 3 of 5 items failed${text}`)
  })
  it('given a comment, then the title names the author and the asset', () => {
    const event = { ...eventOf('io.assay.catalog.CommentAdded', { assetId: 11, uid: 'orders.csv' }), actor: 'anna' }
    expect(triggerOf(event).contents).toMatchObject([{ title: 'anna commented on orders.csv' }])
  })
  it('given a notification, then its link is the path of an operation that reads it', () => {
    const run = { executionId: 5, policyType: 'DATA_QUALITY', resultStatus: 'ERRORED' }
    const data = { assetId: 11, uid: 'u', policyId: 7, policyName: 'p', assetUid: 'u', error: null, ...run }
    const reads = operations
      .filter(({ method }) => method === 'GET')
      .map(({ path }) => path.replaceAll(/\{\w+\}/g, '\\d+'))
    for (const type of ['catalog.AssetReturned', 'policy.PolicyEnabled', 'execution.ExecutionFinished'])
      for (const { link } of triggerOf(eventOf(`io.assay.${type}`, data)).contents)
        expect([link, reads.some((path) => new RegExp(`^${path}$`).test(link))]).toEqual([link, true])
  })
  it('given a new asset, then the watchers of its folder and of its assembly are notified', () => {
    const found = { assetId: 60, uid: 'sales.in.new.csv', assetType: 'FILE' }
    const { contents } = triggerOf(eventOf('io.assay.catalog.AssetDiscovered', { ...found, parentId: 50 }))
    expect(contents).toMatchObject([
      { kind: 'ASSET_CREATED', assetId: 60, watchedId: 50, link: '/catalog-server/api/assets/60' },
    ])
    const atTop = { ...found, parentId: null, assemblyId: 3 }
    expect(triggerOf(eventOf('io.assay.catalog.AssetDiscovered', atTop)).contents).toMatchObject([
      { watchedId: null, assemblyId: 3 },
    ])
  })
  it.each([
    'PolicyCreated',
    'PolicyDefinitionChanged',
    'PolicyEnabled',
    'PolicyDisabled',
    'PolicyScheduleSet',
    'PolicyConfigurationSet',
    'PolicyTagged',
    'PolicyUntagged',
    'PolicyArchived',
    'PolicyUnarchived',
  ])('given %s, then there is one notification for each asset of the policy', (type) => {
    const known = new Map([
      ['PolicyCreated', 'POLICY_CREATED'],
      ['PolicyArchived', 'POLICY_ARCHIVED'],
    ])
    const kind = known.get(type) ?? 'POLICY_CHANGED'
    const policy = { policyId: 7, policyName: 'p', assetId: 11, assetUid: 'u' }
    const of = (more: object) => kindsOf(`io.assay.policy.${type}`, { ...policy, ...more })
    expect(of({ changes: { before: null } })).toEqual([[kind, 11]])
    expect(of({ rightAssetId: 11, rightAssetUid: 'u' })).toEqual([[kind, 11]])
    expect(of({ rightAssetId: 21, rightAssetUid: 'v' }).map(([, assetId]) => assetId)).toEqual([21, 11])
    const before = { target: { assetId: 31, uid: 'w', columns: [] }, rightTarget: null }
    expect(of({ changes: { before, after: {} } }).map(([, assetId]) => assetId)).toEqual([31, 11])
    expect(() => of({ assetId: 'x' })).toThrow()
  })
  it('given an event of the policy service without a policy, then there is no notification', () => {
    expect(kindsOf('io.assay.policy.PersistenceConfigCreated', { configId: 1 })).toEqual([])
    expect(kindsOf('io.assay.policy.PolicyStorageFollowed', {})).toEqual([])
  })
  it('given an event of another type, then there is no notification', () => {
    expect(kindsOf('io.assay.catalog.CrawlStarted', { crawlId: 1 })).toEqual([])
  })
  it('given a message that is not an event, then it is refused', () => {
    expect(() => triggerOf({})).toThrow()
    expect(() => triggerOf(eventOf('io.assay.catalog.AssetVanished', {}))).toThrow()
  })
})
