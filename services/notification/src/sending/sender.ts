import type { Clock, Sealer } from '@assay/service-kit'
import { isAssayError } from '@assay/service-kit/errors'
import { z } from 'zod'
import type { Channel } from '../channel/channel.ts'
import { withSecrets } from '../channels/configuration.ts'
import { type AttemptResult, delivered, failed } from './attempt-result.ts'
import { alertUrls, httpMessageOf, type OpenedChannel } from './http-message.ts'
import type { HttpSender } from './http-sender.ts'
import type { MailSender } from './mail-sender.ts'

const texts = z.record(z.string(), z.string())
const text = z.string()
const addresses = z.array(z.string())

/** Sends one message to a channel, once. */
export type Send = (
  tenant: string,
  channel: Pick<Channel, 'type' | 'configuration' | 'secrets'>,
  /** `withinMs`: maximum time in milliseconds. Default: `attemptMs`. `taken`: addresses that have the message already. */
  message: { id: string; body: string; withinMs?: number | undefined; taken?: readonly string[] | undefined },
  signal?: AbortSignal,
) => Promise<AttemptResult>

/** `mail`: absent if the operator has set no mail server. */
export function createSend(deps: {
  http: HttpSender
  mail: MailSender | undefined
  sealer: Sealer
  clock: Clock
}): Send {
  const { http, mail, sealer, clock } = deps

  function openedChannel(
    type: Exclude<Channel['type'], 'EMAIL'>,
    { configuration, secrets }: Pick<Channel, 'configuration' | 'secrets'>,
    open: (sealed: string) => string,
  ): OpenedChannel {
    const { url, headers, routingKey, apiKey } = withSecrets(type, configuration, open)
    switch (type) {
      case 'WEBHOOK': {
        const now = clock.now()
        const valid = secrets.filter(({ until }) => until === null || Date.parse(until) > now)
        const clear = valid.map(({ sealed }) => open(sealed))
        return { type, url: text.parse(url), headers: texts.parse(headers ?? {}), secrets: clear }
      }
      case 'SLACK':
      case 'TEAMS':
        return { type, url: text.parse(url) }
      case 'PAGERDUTY':
        return { type, url: text.parse(url ?? alertUrls[type]), routingKey: text.parse(routingKey) }
      case 'OPSGENIE':
        return { type, url: text.parse(url ?? alertUrls[type]), apiKey: text.parse(apiKey) }
      default:
        return type satisfies never
    }
  }

  /** Secrets in clear of channels in use, by the sealed text: opening them takes longer than signing. */
  const openedOf = new WeakMap<object, Map<string, string>>()

  function open(tenant: string, channel: object, sealed: string): string {
    const opened = openedOf.get(channel) ?? new Map<string, string>()
    openedOf.set(channel, opened)
    const clear = opened.get(sealed) ?? sealer.open(sealed, tenant)
    opened.set(sealed, clear)
    return clear
  }

  return async (tenant, channel, { id, body, withinMs, taken = [] }, signal) => {
    const { type, configuration } = channel
    if (type === 'EMAIL') {
      if (mail === undefined) return failed('No mail server is set: the operator sets ASSAY_SMTP_URL.', 0)
      const to = addresses.parse(configuration.to)
      const missing = to.filter((address) => !taken.includes(address))
      // The address that the mail server refused may have been removed meanwhile.
      return missing.length === 0 ? delivered(250, 0) : mail.send({ id, to, missing, body, withinMs })
    }
    try {
      const of = openedChannel(type, channel, (sealed) => open(tenant, channel, sealed))
      return await http.post({ ...httpMessageOf(of, { id, body, at: clock.now() }), withinMs }, signal)
    } catch (error) {
      if (isAssayError(error, 'unavailable'))
        return failed('The secret of the channel cannot be opened with the sealing key of this installation.', 0)
      throw error
    }
  }
}
