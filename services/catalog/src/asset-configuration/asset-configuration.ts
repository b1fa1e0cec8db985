import { isDeepStrictEqual } from 'node:util'
import type { JsonObject, JsonValue } from '@assay/event-store'
import { AssayError } from '@assay/service-kit/errors'

type OfAsset = { assetId: number; uid: string; at: string; by: string }

/** Settings by name; `null` means that the setting is not set. */
export type Settings = JsonObject
export type CustomItem = { key: string; value: string; dataType: string }

export type AssetConfigured = { type: 'AssetConfigured'; data: OfAsset & { before: Settings; after: Settings } }
export type CustomMetadataSet = {
  type: 'CustomMetadataSet'
  data: OfAsset & { before: CustomItem[]; set: CustomItem[]; removed: string[] }
}
export type AssetConfigurationEvent = AssetConfigured | CustomMetadataSet

export type AssetConfigurationState = {
  assetId: number
  settings: Settings
  custom: CustomItem[]
  createdAt: string
  updatedAt: string
}

/** `null` and an empty text, list or object clear a setting. Settings that are left out stay. */
export type ConfigureAsset = OfAsset & { type: 'ConfigureAsset'; settings: Settings }
/** An empty `value` removes the key. */
export type SetCustomMetadata = OfAsset & { type: 'SetCustomMetadata'; items: CustomItem[] }
export type AssetConfigurationCommand = ConfigureAsset | SetCustomMetadata

const maxCustomItems = 500

export const initialAssetConfiguration: AssetConfigurationState = {
  assetId: 0,
  settings: {},
  custom: [],
  createdAt: '',
  updatedAt: '',
}

function withSettings(settings: Settings, changes: Settings): Settings {
  return Object.fromEntries(Object.entries({ ...settings, ...changes }).filter(([, value]) => value !== null))
}

function withItems(custom: readonly CustomItem[], set: readonly CustomItem[], removed: readonly string[]) {
  const gone = new Set([...removed, ...set.map(({ key }) => key)])
  return [...custom.filter(({ key }) => !gone.has(key)), ...set].sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** The state after an event. */
export function evolveAssetConfiguration(
  state: AssetConfigurationState,
  event: AssetConfigurationEvent,
): AssetConfigurationState {
  const { assetId, at } = event.data
  const next = { ...state, assetId, createdAt: state.createdAt || at, updatedAt: at }
  switch (event.type) {
    case 'AssetConfigured':
      return { ...next, settings: withSettings(state.settings, event.data.after) }
    case 'CustomMetadataSet':
      return { ...next, custom: withItems(state.custom, event.data.set, event.data.removed) }
    default:
      return event satisfies never
  }
}

const isCleared = (value: JsonValue | undefined) => value === '' || ['{}', '[]'].includes(JSON.stringify(value))

function configure(command: ConfigureAsset, state: AssetConfigurationState): AssetConfigurationEvent[] {
  const { type: _, settings, ...of } = command
  const before: Record<string, JsonValue> = {}
  const after: Record<string, JsonValue> = {}
  for (const [name, value] of Object.entries(settings)) {
    const next = isCleared(value) ? null : (value ?? null)
    const known = state.settings[name] ?? null
    if (isDeepStrictEqual(next, known)) continue
    before[name] = known
    after[name] = next
  }
  return Object.keys(after).length === 0 ? [] : [{ type: 'AssetConfigured', data: { ...of, before, after } }]
}

function setItems(command: SetCustomMetadata, state: AssetConfigurationState): AssetConfigurationEvent[] {
  const { type: _, items, ...of } = command
  const known = new Map(state.custom.map((item) => [item.key, item]))
  const set = items.filter(({ key, value, dataType }) => {
    const item = known.get(key)
    return value !== '' && (item?.value !== value || item.dataType !== dataType)
  })
  const removed = items.filter(({ key, value }) => value === '' && known.has(key)).map(({ key }) => key)
  if (set.length === 0 && removed.length === 0) return []
  if (withItems(state.custom, set, removed).length > maxCustomItems)
    throw new AssayError('invalid', `body: an asset has at most ${maxCustomItems} custom keys.`)
  const before = [...set.map(({ key }) => key), ...removed].flatMap((key) => known.get(key) ?? [])
  return [{ type: 'CustomMetadataSet', data: { ...of, before, set, removed } }]
}

/** The events of a command on the settings; none if nothing changes. */
export function decideAssetConfiguration(
  command: AssetConfigurationCommand,
  state: AssetConfigurationState,
): AssetConfigurationEvent[] {
  switch (command.type) {
    case 'ConfigureAsset':
      return configure(command, state)
    case 'SetCustomMetadata':
      return setItems(command, state)
    default:
      return command satisfies never
  }
}
