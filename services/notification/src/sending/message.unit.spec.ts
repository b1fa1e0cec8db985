import type { ChannelMessage } from '@assay/contracts'
import { describe, expect, it } from 'vitest'
import { httpMessageOf } from './http-message.ts'
import { bodyOf } from './message.ts'

const message = (
  changes: Partial<ChannelMessage['data']> = {},
  type: ChannelMessage['type'] = 'EXECUTION_ERRORED',
) => ({
  type,
  timestamp: '2026-11-20T10:00:00.000Z',
  data: {
    ...{ id: 5, kind: type, severity: 'ERROR' as const, assetId: 11, policyId: 7, executionId: 3 },
    ...{ title: 'orders & <people>', text: '3 of 5 items *failed*', link: 'https://assay.test/x' },
    ...{ count: 1, createdAt: '2026-11-20T10:00:01.000Z', readAt: null, ...changes },
  },
})
const json = (text: string | undefined) => JSON.parse(text ?? '')

describe('messages of channels', () => {
  it('given names with markup, when they are sent to Slack, then they are escaped, and are no formatting', () => {
    const plain = { type: 'plain_text', emoji: false }
    expect(json(bodyOf('SLACK', { message: message() }))).toEqual({
      text: 'orders &amp; &lt;people&gt;',
      mrkdwn: false,
      blocks: [
        { type: 'header', text: { ...plain, text: 'orders &amp; &lt;people&gt;' } },
        { type: 'section', text: { ...plain, text: '3 of 5 items *failed*' } },
        {
          type: 'context',
          elements: [{ type: 'mrkdwn', text: 'ERROR · EXECUTION_ERRORED · <https://assay.test/x|Open in Assay>' }],
        },
      ],
    })
  })

  it('given a title that is too long for a header of Slack, then it is a section', () => {
    const [heading] = json(bodyOf('SLACK', { message: message({ title: '_x'.repeat(76) }) })).blocks
    expect(heading).toMatchObject({ type: 'section', text: { type: 'plain_text', text: '_x'.repeat(76) } })
  })

  it('given a notification, when it is sent to Teams, then it is an Adaptive Card whose texts are not Markdown', () => {
    const [attachment] = json(bodyOf('TEAMS', { message: message() })).attachments
    expect(attachment.contentType).toBe('application/vnd.microsoft.card.adaptive')
    const { type, version, body, actions } = attachment.content
    expect([type, version, body[0].type, body[1].inlines[0].text]).toEqual([
      'AdaptiveCard',
      '1.4',
      'RichTextBlock',
      '3 of 5 items *failed*',
    ])
    expect(actions).toEqual([{ type: 'Action.OpenUrl', title: 'Open in Assay', url: 'https://assay.test/x' }])
  })

  it.each(['WEBHOOK', 'SLACK', 'TEAMS', 'EMAIL'] as const)(
    'given very long texts, when they are sent by %s, then texts are cut and ids are not',
    (type) => {
      const long = message({ title: '"ä'.repeat(20_000), text: '<😀'.repeat(20_000) })
      const body = bodyOf(type, { message: long }) ?? ''
      expect(body.isWellFormed()).toBe(true)
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(type === 'EMAIL' ? 60_000 : 20_000)
      if (type === 'WEBHOOK')
        expect(json(body).data).toMatchObject({ id: 5, assetId: 11, link: 'https://assay.test/x' })
    },
  )

  it('given an incident, when it is sent to PagerDuty, then it is triggered and resolved by one key', () => {
    const opened = { message: message({ severity: 'CRITICAL' }, 'INCIDENT_OPENED'), incident: 'assay-default-9' }
    const channel = { type: 'PAGERDUTY' as const, url: 'https://x.test', routingKey: 'r0' }
    const at = { id: 'msg_1', at: 0 }
    const sent = (of: typeof opened) =>
      json(httpMessageOf(channel, { ...at, body: bodyOf('PAGERDUTY', of) ?? '' }).body)
    expect(sent(opened)).toMatchObject({
      routing_key: 'r0',
      event_action: 'trigger',
      dedup_key: 'assay-default-9',
      payload: { summary: 'orders & <people>', severity: 'critical', source: 'assay' },
    })
    expect(sent({ ...opened, message: message({}, 'INCIDENT_RECOVERED') })).toEqual({
      routing_key: 'r0',
      event_action: 'resolve',
      dedup_key: 'assay-default-9',
    })
    expect(bodyOf('PAGERDUTY', { message: message() })).toBeUndefined()
  })

  it('given an incident, when it is sent to Opsgenie, then an alert is created and closed by its alias', () => {
    const channel = { type: 'OPSGENIE' as const, url: 'https://x.test/', apiKey: 'k0' }
    const incident = 'assay-default-9'
    const sent = (type: ChannelMessage['type'], title?: string) =>
      httpMessageOf(channel, {
        id: 'm',
        at: 0,
        body: bodyOf('OPSGENIE', { message: message(title === undefined ? {} : { title }, type), incident }) ?? '',
      })
    const opened = sent('INCIDENT_OPENED')
    expect(opened).toMatchObject({ url: 'https://x.test/v2/alerts', headers: { authorization: 'GenieKey k0' } })
    expect(json(opened.body)).toMatchObject({ alias: incident, priority: 'P2', message: 'orders & <people>' })
    // No character is cut in half.
    expect(json(sent('INCIDENT_OPENED', `${'x'.repeat(129)}😀`).body).message).toBe('x'.repeat(129))
    expect(sent('INCIDENT_RECOVERED').url).toBe(`https://x.test/v2/alerts/${incident}/close?identifierType=alias`)
  })
})
