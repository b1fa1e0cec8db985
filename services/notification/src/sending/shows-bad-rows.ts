import type { ChannelMessage, ChannelType } from '@assay/contracts'

const kinds: ReadonlySet<ChannelMessage['type']> = new Set(['EXECUTION_WARNING', 'EXECUTION_ERRORED'])
const read: ReadonlySet<ChannelType> = new Set(['EMAIL', 'SLACK', 'TEAMS'])

/** Whether messages of this kind show bad rows, if they are sent to people. */
export const showsBadRows = (kind: ChannelMessage['type']): boolean => kinds.has(kind)

/** The run whose bad rows a message to a channel of this type shows; `undefined` if it shows none. Pure. */
export function runOfBadRows(type: ChannelType, { type: kind, data }: ChannelMessage): number | undefined {
  return read.has(type) && showsBadRows(kind) ? (data.executionId ?? undefined) : undefined
}
