import type { ChannelMessage, ChannelType } from '@assay/contracts'
import type { ScoreHistory } from '../scores/score.ts'
import { opsgenieOf, pagerdutyOf } from './alert-messages.ts'
import { slackOf, teamsOf } from './chat-messages.ts'
import { mailOf } from './mail-message.ts'

/** A message for a channel. `incident`: the key of the incident that it is about. `history`: for the plot of a mail. */
export interface Outgoing {
  message: ChannelMessage
  incident?: string | undefined
  /** The end of the alert of a test. */
  isOver?: boolean
  history?: ScoreHistory | undefined
}

/** Maximum size of a message in bytes. */
const maxBytes = 20_000

/** Cut to `max` bytes of JSON, with an ellipsis. Never cuts a character in half. */
function cut(text: string, max: number): string {
  const size = (part: string) => Buffer.byteLength(JSON.stringify(part))
  if (size(text) <= max) return text
  const characters = [...text]
  let [low, high] = [0, characters.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (size(`${characters.slice(0, middle).join('')}…`) <= max) low = middle
    else high = middle - 1
  }
  return `${characters.slice(0, low).join('')}…`
}

/** Shortens the texts of a message so that it fits in every format. Ids and links stay unchanged. */
function shortened({ message, ...more }: Outgoing): Outgoing {
  const { title, text } = message.data
  const fits = Buffer.byteLength(JSON.stringify(message)) <= maxBytes
  if (fits && Buffer.byteLength(title) <= 2_000) return { message, ...more }
  return {
    message: { ...message, data: { ...message.data, title: cut(title, 2_000), text: cut(text, 12_000) } },
    ...more,
  }
}

/**
 * The text that is stored and sent in each attempt; `undefined` if channels of this type do not send such messages.
 * Secrets are added when it is sent. Pure.
 */
export function bodyOf(type: ChannelType, outgoing: Outgoing): string | undefined {
  const short = shortened(outgoing)
  switch (type) {
    case 'WEBHOOK':
      return JSON.stringify(short.message)
    case 'SLACK':
      return JSON.stringify(slackOf(short.message))
    case 'TEAMS':
      return JSON.stringify(teamsOf(short.message))
    case 'EMAIL':
      return JSON.stringify(mailOf(short))
    case 'PAGERDUTY':
      return jsonOf(pagerdutyOf(short))
    case 'OPSGENIE':
      return jsonOf(opsgenieOf(short))
    default:
      return type satisfies never
  }
}

const jsonOf = (value: object | undefined) => (value === undefined ? undefined : JSON.stringify(value))
