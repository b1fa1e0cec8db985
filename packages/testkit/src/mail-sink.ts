import { once } from 'node:events'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** A mail as a server received it: its recipients, and its source text with headers. */
export interface ReceivedMail {
  to: string[]
  text: string
}

/**
 * An SMTP server on a free port of 127.0.0.1 that keeps the mails that it receives. `refuse`: the status with which it
 * refuses recipients instead; 0 for none. `refused`: the same for single addresses.
 */
export async function openMailSink(options: SMTPServerOptions = {}) {
  const server = { mails: [] as ReceivedMail[], refuse: 0, refused: new Map<string, number>(), port: 0 }
  const smtp = new SMTPServer({
    authOptional: true,
    ...options,
    onRcptTo({ address }, _session, done) {
      const responseCode = server.refused.get(address) ?? server.refuse
      done(responseCode === 0 ? undefined : Object.assign(new Error('no'), { responseCode }))
    },
    onData(stream, session, done) {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address)
        server.mails.push({ to, text: Buffer.concat(parts).toString('utf8') })
        done()
      })
    },
  })
  // A client that closes the connection is not a failure of the server.
  smtp.on('error', () => undefined)
  const listening = smtp.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const address = listening.address()
  server.port = typeof address === 'object' && address !== null ? address.port : 0
  return Object.assign(server, { close: () => new Promise<void>((resolve) => smtp.close(() => resolve())) })
}
export type MailSink = Awaited<ReturnType<typeof openMailSink>>

/** The source text of a mail without the line breaks and escapes of quoted-printable. */
export function decodedMail({ text }: Pick<ReceivedMail, 'text'>): string {
  const bytes = text
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
