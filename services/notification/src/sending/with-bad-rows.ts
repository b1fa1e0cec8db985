import type { ChannelType } from '@assay/contracts'
import type { BadRows } from '@assay/hosting/ports'
import { z } from 'zod'
import { namedCells, rowLines, rowsTitle } from './bad-rows-text.ts'
import { escapedForSlack, maxSlackText, runs, slackSection } from './chat-messages.ts'
import { escapedForHtml, mail } from './mail-message.ts'

const blocks = z.looseObject({ blocks: z.array(z.json()).min(1) })
const card = z.looseObject({ body: z.array(z.json()).min(1) })
const cards = z.looseObject({ attachments: z.tuple([z.looseObject({ content: card })]) })

/** A code block cannot contain three backticks in a row, so an invisible space follows each. */
const inCodeBlock = (lines: readonly string[]) => escapedForSlack(lines.join('\n')).replaceAll('`', '`\u200B')

/** With the widest cells whose text fits into a block. */
function slackText(rows: BadRows): string {
  const texts = [80, 40, 20, 10].map((maxCell) => `\`\`\`\n${inCodeBlock(rowLines(rows, maxCell))}\n\`\`\``)
  return texts.find((text) => text.length <= maxSlackText) ?? ''
}

/** `verbatim`: addresses and names in data are not made into links. */
const slackRows = (rows: BadRows) => [
  slackSection(rowsTitle(rows)),
  { type: 'section', text: { type: 'mrkdwn', text: slackText(rows), verbatim: true } },
]

/** A line for each row, with names beside values: columns of a card would not stay aligned. */
const teamsRows = (rows: BadRows) => [
  runs(rowsTitle(rows)),
  ...rows.rows.map((row) => ({
    type: 'RichTextBlock',
    spacing: 'Small',
    inlines: namedCells(rows, row).flatMap(([name, text], at) => [
      { type: 'TextRun', text: `${at === 0 ? '' : ' · '}${name}: `, isSubtle: true, size: 'Small' },
      { type: 'TextRun', text, fontType: 'Monospace', size: 'Small' },
    ]),
  })),
]

const cellStyle = 'style="border:1px solid #ddd;padding:2px 6px;text-align:left;font-size:12px"'

/** A table for a mail. */
function htmlRows(rows: BadRows): string {
  const line = (tag: 'th' | 'td', texts: readonly string[]) =>
    `<tr>${texts.map((text) => `<${tag} ${cellStyle}>${escapedForHtml(text)}</${tag}>`).join('')}</tr>`
  const cells = rows.rows.map((row) => namedCells(rows, row))
  const names = namedCells(rows, []).map(([name]) => name)
  return [
    `<p style="margin:12px 0 4px;font-size:13px">${escapedForHtml(rowsTitle(rows))}</p>`,
    '<table cellpadding="0" cellspacing="0" style="border-collapse:collapse">',
    line('th', names),
    ...cells.map((row) =>
      line(
        'td',
        row.map(([, text]) => text),
      ),
    ),
    '</table>',
  ].join('')
}

const inserted = (text: string, at: number, more: string) => `${text.slice(0, at)}${more}${text.slice(at)}`

function withMailRows(body: unknown, rows: BadRows): object | undefined {
  const { rowsAt, text, html, ...more } = mail.parse(body)
  if (rowsAt === undefined) return undefined
  const plain = `\n\n${rowsTitle(rows)}:\n${rowLines(rows).join('\n')}`
  return { ...more, text: inserted(text, rowsAt.text, plain), html: inserted(html, rowsAt.html, htmlRows(rows)) }
}

/** Before the last block, which has facts and the link. */
function withSlackRows(body: unknown, rows: BadRows): object {
  const message = blocks.parse(body)
  return { ...message, blocks: message.blocks.toSpliced(-1, 0, ...slackRows(rows)) }
}

/** Before the last line, which has facts. */
function withTeamsRows(body: unknown, rows: BadRows): object {
  const message = cards.parse(body)
  const [attachment] = message.attachments
  const { content } = attachment
  const lines = content.body.toSpliced(-1, 0, ...teamsRows(rows))
  return { ...message, attachments: [{ ...attachment, content: { ...content, body: lines } }] }
}

/** A stored message with bad rows, for channels whose messages people read. Others get the stored one. Pure. */
export function withBadRows(type: ChannelType, body: string, rows: BadRows): string {
  const message: unknown = JSON.parse(body)
  switch (type) {
    case 'EMAIL':
      return JSON.stringify(withMailRows(message, rows) ?? message)
    case 'SLACK':
      return JSON.stringify(withSlackRows(message, rows))
    case 'TEAMS':
      return JSON.stringify(withTeamsRows(message, rows))
    case 'WEBHOOK':
    case 'PAGERDUTY':
    case 'OPSGENIE':
      return body
    default:
      return type satisfies never
  }
}
