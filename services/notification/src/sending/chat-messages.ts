import { type ChannelMessage, cutText } from '@assay/contracts'
import { isAbsolute } from './absolute-link.ts'

/** Maximum length of a text in a block of Slack. */
export const maxSlackText = 2_900
const maxSlackHeader = 150

/** Slack reads these characters as the beginning of a link, a mention or an entity. */
export const escapedForSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Names may have `*`, `_`, `~`, backticks or `:x:`, which `mrkdwn` would read as formatting. Cuts before it escapes, so that no entity is cut. */
function plain(text: string) {
  let short = text
  while (escapedForSlack(short).length > maxSlackText) short = `${cutText(short, Math.floor(short.length * 0.9))}…`
  return { type: 'plain_text', text: escapedForSlack(short), emoji: false }
}

/** A block of text without formatting. Pure. */
export const slackSection = (text: string) => ({ type: 'section', text: plain(text) })

/** Bold, unless it is too long for a header. */
function heading(title: string) {
  return escapedForSlack(title).length > maxSlackHeader ? slackSection(title) : { type: 'header', text: plain(title) }
}

/** A message for incoming webhooks that are compatible with Slack. Pure. */
export function slackOf({ type, data }: ChannelMessage): object {
  const { title, text, link, severity } = data
  const open = isAbsolute(link) ? ` · <${link}|Open in Assay>` : ''
  const context = { type: 'mrkdwn', text: `${severity} · ${type}${open}` }
  return {
    text: escapedForSlack(title),
    mrkdwn: false,
    blocks: [heading(title), ...(text === '' ? [] : [slackSection(text)]), { type: 'context', elements: [context] }],
  }
}

/** Plain text: runs, unlike blocks, are not read as Markdown. */
export const runs = (text: string, style: Readonly<Record<string, string | boolean>> = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text, ...style }],
})

/** A message with an Adaptive Card for incoming webhooks of Microsoft Teams. Pure. */
export function teamsOf({ type, data }: ChannelMessage): object {
  const { title, text, link, severity } = data
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      runs(title, { weight: 'Bolder', size: 'Medium' }),
      ...(text === '' ? [] : [runs(text)]),
      runs(`${severity} · ${type}`, { isSubtle: true, size: 'Small' }),
    ],
    ...(isAbsolute(link) ? { actions: [{ type: 'Action.OpenUrl', title: 'Open in Assay', url: link }] } : {}),
  }
  const contentType = 'application/vnd.microsoft.card.adaptive'
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content: card }] }
}
