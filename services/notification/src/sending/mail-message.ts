import { cutText, type NotificationSeverity } from '@assay/contracts'
import { z } from 'zod'
import { isAbsolute } from './absolute-link.ts'
import type { Outgoing } from './message.ts'
import { scorePlot, scoreText } from './score-plot.ts'
import { showsBadRows } from './shows-bad-rows.ts'

/** An e-mail, as it is stored. `rowsAt`: where each attempt inserts bad rows; absent: it shows none. */
export const mail = z.object({
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  rowsAt: z.object({ text: z.int(), html: z.int() }).optional(),
})
export type Mail = z.infer<typeof mail>

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
export const escapedForHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? character)

const colours: Readonly<Record<NotificationSeverity, string>> = {
  INFO: '#3b6ea5',
  WARNING: '#b7791f',
  ERROR: '#c53030',
  CRITICAL: '#822727',
}

/** The e-mail for a notification, as text and as HTML. Pure. */
export function mailOf({ message: { type, timestamp, data }, history }: Outgoing): Mail {
  const { title, text, link, severity } = data
  // A subject is one line.
  const subject = cutText(`[Assay] ${title}`.replace(/\s+/g, ' '), 250)
  const facts = `${severity} · ${type} · ${timestamp}`
  const scores = history === undefined ? '' : scoreText(history)
  const joined = (parts: readonly string[]) => parts.filter((part) => part !== '').join('\n\n')
  const before = joined([title, text])
  const plain = joined([before, scores, isAbsolute(link) ? link : '', facts])
  const above = [
    '<!doctype html><html><body style="font-family:sans-serif;font-size:15px;color:#222">',
    `<div style="border-left:4px solid ${colours[severity]};padding-left:12px">`,
    `<p style="font-weight:bold">${escapedForHtml(title)}</p>`,
    text === '' ? '' : `<p style="white-space:pre-wrap">${escapedForHtml(text)}</p>`,
  ].join('')
  const below = [
    history === undefined ? '' : scorePlot(history),
    isAbsolute(link) ? `<p><a href="${escapedForHtml(link)}">Open in Assay</a></p>` : '',
    `<p style="color:#666;font-size:12px">${escapedForHtml(facts)}</p>`,
    '</div></body></html>',
  ].join('')
  const rowsAt = showsBadRows(type) ? { rowsAt: { text: before.length, html: above.length } } : {}
  return { subject, text: `${plain}\n`, html: `${above}${below}`, ...rowsAt }
}
