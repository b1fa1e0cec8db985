import type { NotificationSeverity } from '@assay/contracts'
import { z } from 'zod'
import { isAbsolute } from './absolute-link.ts'
import { clipped } from './clipped.ts'
import type { Outgoing } from './message.ts'
import { scorePlot, scoreText } from './score-plot.ts'

/** An e-mail, as it is stored. */
export const mail = z.object({ subject: z.string(), text: z.string(), html: z.string() })
export type Mail = z.infer<typeof mail>

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? character)

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
  const subject = clipped(`[Assay] ${title}`.replace(/\s+/g, ' '), 250)
  const facts = `${severity} · ${type} · ${timestamp}`
  const scores = history === undefined ? '' : scoreText(history)
  const parts = [title, text, scores, isAbsolute(link) ? link : '', facts]
  const plain = parts.filter((part) => part !== '').join('\n\n')
  const html = [
    '<!doctype html><html><body style="font-family:sans-serif;font-size:15px;color:#222">',
    `<div style="border-left:4px solid ${colours[severity]};padding-left:12px">`,
    `<p style="font-weight:bold">${escaped(title)}</p>`,
    text === '' ? '' : `<p style="white-space:pre-wrap">${escaped(text)}</p>`,
    history === undefined ? '' : scorePlot(history),
    isAbsolute(link) ? `<p><a href="${escaped(link)}">Open in Assay</a></p>` : '',
    `<p style="color:#666;font-size:12px">${escaped(facts)}</p>`,
    '</div></body></html>',
  ].join('')
  return { subject, text: `${plain}\n`, html }
}
