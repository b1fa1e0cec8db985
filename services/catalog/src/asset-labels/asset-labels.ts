export type AssetLabel = { key: string; value: string }

export type AssetLabelsReplaced = {
  type: 'AssetLabelsReplaced'
  data: { assetId: number; uid: string; at: string; by: string; before: AssetLabel[]; labels: AssetLabel[] }
}
export type AssetLabelsEvent = AssetLabelsReplaced

/** `maxLabels`: the largest number of labels so far. */
export type AssetLabelsState = { assetId: number; labels: AssetLabel[]; maxLabels: number }

export type ReplaceLabels = {
  type: 'ReplaceLabels'
  assetId: number
  uid: string
  at: string
  by: string
  labels: AssetLabel[]
}

export const initialAssetLabels: AssetLabelsState = { assetId: 0, labels: [], maxLabels: 0 }

/** The state after an event. */
export function evolveAssetLabels(state: AssetLabelsState, event: AssetLabelsEvent): AssetLabelsState {
  const { assetId, labels } = event.data
  return { assetId, labels, maxLabels: Math.max(state.maxLabels, labels.length) }
}

/** The labels of each list that the other lacks, or has with another value. */
export function labelDifferences(
  before: readonly AssetLabel[],
  after: readonly AssetLabel[],
): { before: AssetLabel[]; after: AssetLabel[] } {
  const without = (list: readonly AssetLabel[], other: readonly AssetLabel[]) => {
    const values = new Map(other.map(({ key, value }) => [key, value]))
    return list.filter(({ key, value }) => values.get(key) !== value)
  }
  return { before: without(before, after), after: without(after, before) }
}

/** Replaces the list. No event if the new list equals the current one, including its order. */
export function decideAssetLabels(command: ReplaceLabels, state: AssetLabelsState): AssetLabelsEvent[] {
  const { type: _, ...data } = command
  const isSame =
    data.labels.length === state.labels.length &&
    data.labels.every(({ key, value }, index) => {
      const other = state.labels[index]
      return other?.key === key && other.value === value
    })
  return isSame ? [] : [{ type: 'AssetLabelsReplaced', data: { ...data, before: state.labels } }]
}
