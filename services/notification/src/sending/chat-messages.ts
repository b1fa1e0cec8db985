import { type ChannelMessage, cutText } from '@assay/contracts'
import { isAbsolute } from './absolute-link.ts'

/** Maximum length of a text in a block of Slack. */
export const maxSlackText = 2_900

/** Slack reads these characters as the beginning of a link, a mention or an entity. */
export const escapedForSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Cuts before it escapes, so that no entity is cut. */
function section(text: string, around: (text: string) => string = (all) => all) {
  let short = text
  while (escapedForSlack(short).length > maxSlackText) short = `${cutText(short, Math.floor(short.length * 0.9))}…`
  return { type: 'section', text: { type: 'mrkdwn', text: around(escapedForSlack(short)) } }
}

/** A message for incoming webhooks that are compatible with Slack. Pure. */
export function slackOf({ type, data }: ChannelMessage): object {
  const { title, text, link, severity } = data
  const open = isAbsolute(link) ? ` · <${link}|Open in Assay>` : ''
  const context = { type: 'mrkdwn', text: `${severity} · ${type}${open}` }
  return {
    text: escapedForSlack(title),
    blocks: [
      section(title, (all) => `*${all}*`),
      ...(text === '' ? [] : [section(text)]),
      { type: 'context', elements: [context] },
    ],
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
