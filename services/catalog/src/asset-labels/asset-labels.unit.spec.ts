import type { DocumentPut } from '@assay/documents'
import { describe, expect, it } from 'vitest'
import { assetLabelsAggregate } from './aggregate.ts'
import { type AssetLabelsState, decideAssetLabels, evolveAssetLabels, initialAssetLabels } from './asset-labels.ts'

const of = { type: 'ReplaceLabels', assetId: 4, uid: 'u', at: '2026', by: 'ann' } as const
const label = (key: string) => ({ key, value: 'v' })
const after = (state: AssetLabelsState, labels: { key: string; value: string }[]) =>
  decideAssetLabels({ ...of, labels }, state).reduce(evolveAssetLabels, state)

describe('labels of an asset', () => {
  it('given labels, when another list is set, then it replaces them; an equal list changes nothing', () => {
    const state = after(initialAssetLabels, [label('a'), label('b')])
    expect(decideAssetLabels({ ...of, labels: [label('a'), label('b')] }, state)).toEqual([])
    expect(after(state, [label('b')]).labels).toEqual([label('b')])
  })
  it('given a list that becomes shorter, then the documents of its removed labels are deleted', () => {
    const state = after(after(initialAssetLabels, [label('a'), label('b')]), [label('c')])
    const puts = assetLabelsAggregate.documents(state, { tenant: 't', id: '4' }, { revision: 1, position: '2' })
    expect(puts.map(({ id, document }: DocumentPut) => [id, document])).toEqual([
      ['4.0', { assetId: 4, index: 0, key: 'c', value: 'v' }],
      ['4.1', null],
    ])
  })
})
