import { tlsFailureOf } from '@assay/service-kit'
import { createTransport } from 'nodemailer'
import { z } from 'zod'
import { type AttemptResult, attemptMs, delivered, failed, late } from './attempt-result.ts'
import { mail } from './mail-message.ts'

/** The operator's mail server. `url`: smtp://, smtps:// or smtp+plain://; `from`: the sender's address. */
export interface MailSettings {
  url: string
  from: string
}

export interface MailSender {
  /** `missing`: those of `to` who get it now. `withinMs`: maximum time in milliseconds. Default: `attemptMs`. */
  send(message: {
    id: string
    to: readonly string[]
    missing: readonly string[]
    body: string
    withinMs?: number | undefined
  }): Promise<AttemptResult>
  close(): void
}

/** How the connection is protected. Only smtp+plain:// sends in clear. */
function protection(protocol: string): { secure: boolean; requireTLS: boolean; ignoreTLS: boolean } {
  if (protocol === 'smtps:') return { secure: true, requireTLS: false, ignoreTLS: false }
  const isPlain = protocol === 'smtp+plain:'
  return { secure: false, requireTLS: !isPlain, ignoreTLS: isPlain }
}

const noStartTls =
  'The mail server does not offer STARTTLS, which smtp:// needs. The operator sets smtps:// in ASSAY_SMTP_URL, or smtp+plain:// for a connection without TLS.'

/** Why the server did not accept a message. Never contains the server's own text. */
function failure(error: unknown, latencyMs: number, withinMs: number): AttemptResult {
  const of = error instanceof Error ? error : new Error(String(error))
  const code = 'code' in of ? of.code : undefined
  // The answer to STARTTLS has a status, too, but it is not about the mail.
  if (code === 'ETLS' && tlsFailureOf(error) === undefined) return failed(noStartTls, latencyMs)
  const refused = 'rejectedErrors' in of ? refusedOf(of.rejectedErrors)?.status : undefined
  const status = refused ?? ('responseCode' in of && typeof of.responseCode === 'number' ? of.responseCode : null)
  if (status !== null && status >= 400)
    return failed(`The mail server answered ${status}.`, latencyMs, { status, isFinal: status >= 500 })
  const tls = tlsFailureOf(error)
  if (tls === 'untrusted') return failed('The certificate of the mail server is not trusted.', latencyMs)
  if (code === 'ETIMEDOUT') return failed(late('The mail server', withinMs), latencyMs)
  return failed('The mail server could not be reached.', latencyMs)
}

const refusals = z.array(z.object({ recipient: z.string(), responseCode: z.int() }))

/** The addresses that the mail server refused. The status is that of a temporary refusal, if there is one. Pure. */
function refusedOf(errors: unknown): { status: number; named: string } | undefined {
  const found = refusals.safeParse(errors).data ?? []
  const status = (found.find(({ responseCode }) => responseCode < 500) ?? found[0])?.responseCode
  if (status === undefined) return undefined
  const named = found.map(({ recipient, responseCode }) => `${recipient} (${responseCode})`).join(', ')
  return { status, named }
}

/** Sends by SMTP. `ca`: additional authorities, PEM. */
export function createMailSender({ url, from }: MailSettings, ca?: string): MailSender {
  const { protocol, hostname, port, username, password } = new URL(url)
  const transport = createTransport({
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port) || (protocol === 'smtps:' ? 465 : 587),
    ...protection(protocol),
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    ...(ca === undefined ? {} : { tls: { ca } }),
    pool: true,
    maxConnections: 5,
    connectionTimeout: attemptMs,
    greetingTimeout: attemptMs,
    socketTimeout: attemptMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = from.replace(/^.*@/, '').replace(/[^A-Za-z0-9.-]/g, '') || 'assay'

  return {
    async send({ id, to, missing, body, withinMs = attemptMs }) {
      const startedAt = performance.now()
      const latency = () => Math.round(performance.now() - startedAt)
      const tooLate = new Promise<never>((_, reject) => {
        const error = Object.assign(new Error('late'), { code: 'ETIMEDOUT' })
        setTimeout(() => reject(error), withinMs).unref()
      })
      try {
        const { subject, text, html } = mail.parse(JSON.parse(body))
        const messageId = `<${id}@${domain}>`
        const envelope = { from, to: [...missing] }
        const sent = transport.sendMail({ from, to: [...to], envelope, subject, text, html, messageId })
        const { accepted, rejectedErrors } = await Promise.race([sent, tooLate])
        const refused = refusedOf(rejectedErrors)
        if (refused === undefined) return delivered(250, latency())
        const { status, named } = refused
        // The transport writes domains in lower case. An address that it writes otherwise gets the mail again.
        const known = new Set(accepted.map((address) => address.toLowerCase()))
        const taken = missing.filter((address) => known.has(address.toLowerCase()))
        return failed(`The mail server refused ${named}. The other recipients have the message.`, latency(), {
          ...{ status, isFinal: status >= 500, taken },
        })
      } catch (error) {
        return failure(error, latency(), withinMs)
      }
    },
    close: () => transport.close(),
  }
}
