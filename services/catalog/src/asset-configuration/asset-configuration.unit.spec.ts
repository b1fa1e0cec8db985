import { describe, expect, it } from 'vitest'
import {
  type AssetConfigurationCommand,
  type AssetConfigurationState,
  decideAssetConfiguration,
  evolveAssetConfiguration,
  initialAssetConfiguration,
} from './asset-configuration.ts'

const of = { assetId: 4, uid: 'u', at: '2026-01-01', by: 'ann' }
const after = (state: AssetConfigurationState, command: AssetConfigurationCommand) =>
  decideAssetConfiguration(command, state).reduce(evolveAssetConfiguration, state)
const set = (settings: AssetConfigurationState['settings']) => ({ type: 'ConfigureAsset', ...of, settings }) as const
const item = (key: string, value: string) => ({ key, value, dataType: 'STRING' })

describe('the configuration of an asset', () => {
  const state = after(initialAssetConfiguration, set({ owner: 'ann', description: 'Orders' }))

  it('given settings, when some are sent, then the others stay, and the event has only the changed ones', () => {
    expect(decideAssetConfiguration(set({ owner: 'ann' }), state)).toEqual([])
    expect(after(state, set({ owner: 'bob' })).settings).toEqual({ owner: 'bob', description: 'Orders' })
    expect(decideAssetConfiguration(set({ owner: 'bob', description: 'Orders' }), state)[0]?.data).toMatchObject({
      before: { owner: 'ann' },
      after: { owner: 'bob' },
    })
  })
  it('given settings, when an empty value is sent for one, then that setting is cleared', () => {
    expect(after(state, set({ owner: '' })).settings).toEqual({ description: 'Orders' })
    expect(after(state, set({ owner: [] })).settings).toEqual({ description: 'Orders' })
    const marked = after(state, set({ markerConfiguration: { type: 'IdMarkerConfig' } }))
    expect(after(marked, set({ markerConfiguration: {} })).settings).toEqual(state.settings)
  })
  it('given custom metadata, when keys are sent, then keys with a value are added and keys with an empty value are removed', () => {
    const both = after(state, { type: 'SetCustomMetadata', ...of, items: [item('b', '1'), item('a', '2')] })
    expect(both.custom.map(({ key }) => key)).toEqual(['a', 'b'])
    expect(both.settings).toEqual(state.settings)
    const one = after(both, { type: 'SetCustomMetadata', ...of, items: [item('a', ''), item('none', '')] })
    expect(one.custom).toEqual([item('b', '1')])
    expect(decideAssetConfiguration({ type: 'SetCustomMetadata', ...of, items: [item('b', '1')] }, one)).toEqual([])
  })
  it('given more than 500 custom keys, then the request is refused', () => {
    const items = Array.from({ length: 501 }, (_, index) => item(`k${index}`, 'v'))
    expect(() => decideAssetConfiguration({ type: 'SetCustomMetadata', ...of, items }, state)).toThrow('at most 500')
  })
})
