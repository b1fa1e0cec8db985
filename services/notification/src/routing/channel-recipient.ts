const prefix = ' channel/'

/**
 * The recipient of rows that only a channel gets: those of rules and alerts. They have groups and repeats like rows of
 * users, but are in no list. No user has this name. Pure.
 */
export const channelRecipient = (channelId: number): string => `${prefix}${channelId}`

/** The channel that a recipient is; `undefined` for users. Pure. */
export function recipientChannel(recipient: string): number | undefined {
  return recipient.startsWith(prefix) ? Number(recipient.slice(prefix.length)) : undefined
}
