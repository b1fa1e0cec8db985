import type { ChannelMessage } from '@assay/contracts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mail } from './mail-message.ts'
import { bodyOf } from './message.ts'
import { withBadRows } from './with-bad-rows.ts'

const message: ChannelMessage = {
  type: 'EXECUTION_ERRORED',
  timestamp: '2026-11-20T10:00:00.000Z',
  data: {
    ...{ id: 5, kind: 'EXECUTION_ERRORED', severity: 'ERROR', assetId: 11, policyId: 7, executionId: 3 },
    ...{ title: 'orders: failed', text: '3 of 5 items failed', link: 'https://assay.test/x' },
    ...{ count: 1, createdAt: '2026-11-20T10:00:01.000Z', readAt: null },
  },
}
const rows = {
  item: 'has <a> name',
  count: 2_836,
  columns: ['name', 'a & b'],
  rows: [
    [null, '<@U1> & ```'],
    ['', 'line\nbreak'],
    [' x', 'NULL'],
  ],
}
const bodies = (type: 'EMAIL' | 'SLACK' | 'TEAMS', of: Parameters<typeof withBadRows>[2] = rows) =>
  withBadRows(type, bodyOf(type, { message }) ?? '', of)

const slack = z.object({ blocks: z.array(z.looseObject({ text: z.looseObject({ text: z.string() }).optional() })) })
const teams = z.object({
  attachments: z.tuple([
    z.object({ content: z.object({ body: z.array(z.object({ inlines: z.array(z.object({ text: z.string() })) })) }) }),
  ]),
})
const slackTexts = (body: string) => slack.parse(JSON.parse(body)).blocks.map(({ text }) => text?.text)
const teamsLines = (body: string) =>
  teams
    .parse(JSON.parse(body))
    .attachments[0].content.body.map(({ inlines }) => inlines.map(({ text }) => text).join(''))

describe('bad rows in a message', () => {
  it('given an e-mail, then they are a table below the text, escaped, before what follows', () => {
    const { text, html } = mail.parse(JSON.parse(bodies('EMAIL')))
    expect(text.split('\n\n')).toEqual([
      'orders: failed',
      '3 of 5 items failed',
      [
        "First 3 of 2,836 rows that fail 'has <a> name':",
        'name | a & b',
        'NULL | <@U1> & ```',
        '""   | line␊break',
        '" x" | "NULL"',
      ].join('\n'),
      'https://assay.test/x',
      expect.stringMatching(/^ERROR · /),
    ])
    expect(html).toMatch(
      /3 of 5 items failed<\/p><p [^>]*>First 3 of 2,836 rows that fail &#39;has &lt;a&gt; name&#39;/,
    )
    expect(html).toMatch(/<td [^>]*>&lt;@U1&gt; &amp; ```<\/td>.*<\/table>.*Open in Assay/)
  })

  it('given Slack, then they are a code block that data cannot end, without mentions and links', () => {
    const [title, text, heading, shown = '', facts] = slackTexts(bodies('SLACK'))
    expect([title, text, facts]).toEqual(['orders: failed', '3 of 5 items failed', undefined])
    expect(heading).toBe("First 3 of 2,836 rows that fail 'has &lt;a&gt; name'")
    const ticks = '`\u200B`\u200B`\u200B'
    expect(shown.split('\n')).toEqual([
      ...['```', 'name | a &amp; b', `NULL | &lt;@U1&gt; &amp; ${ticks}`, '""   | line␊break', '" x" | "NULL"', '```'],
    ])
  })

  it('given Teams, then each row is a line of names and values that are not Markdown', () => {
    expect(teamsLines(bodies('TEAMS'))).toEqual([
      ...['orders: failed', '3 of 5 items failed', "First 3 of 2,836 rows that fail 'has <a> name'"],
      ...['name: NULL · a & b: <@U1> & ```', 'name: "" · a & b: line␊break', 'name: " x" · a & b: "NULL"'],
      expect.stringMatching(/^ERROR · /),
    ])
  })

  it.each(['WEBHOOK', 'PAGERDUTY', 'OPSGENIE'] as const)('given %s, then the message is unchanged', (type) => {
    expect(withBadRows(type, '{"a":1}', rows)).toBe('{"a":1}')
  })

  it('given a stored e-mail without a place for rows, then it is unchanged', () => {
    const body = JSON.stringify({ subject: 's', text: 't', html: 'h' })
    expect(withBadRows('EMAIL', body, rows)).toBe(body)
  })

  it('given any rows, then the message stays small and well formed, and no data becomes markup', () => {
    const text = fc.string({ unit: fc.constantFrom('&', '<', '`', '>', '"', 'x', '\n', '\u202E', '😀'), maxLength: 60 })
    const cells = fc.array(fc.array(fc.option(text), { minLength: 5, maxLength: 5 }), { minLength: 1, maxLength: 3 })
    const any = fc.record({
      item: fc.string({ maxLength: 200 }),
      count: fc.nat(),
      columns: fc.array(text, { minLength: 5, maxLength: 5 }),
      rows: cells,
    })
    fc.assert(
      fc.property(any, (of) => {
        const { text: plain, html } = mail.parse(JSON.parse(bodies('EMAIL', of)))
        const table = /<table.*?<\/table>/s.exec(html)?.[0] ?? ''
        const tags = [...table.matchAll(/<(\/?\w+)/g)].map(([, tag]) => tag ?? '')
        expect(tags.every((tag) => /^\/?(table|tr|th|td)$/.test(tag))).toBe(true)
        expect(table.match(/<td /g)).toHaveLength(of.rows.length * 5)
        const shown = slackTexts(bodies('SLACK', of))[3] ?? ''
        expect(shown.length).toBeLessThanOrEqual(3_000)
        expect(shown.match(/```/g)).toHaveLength(2)
        expect(shown).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)|\u202E/)
        const lines = teamsLines(bodies('TEAMS', of))
        expect(lines).toHaveLength(4 + of.rows.length)
        for (const each of [plain, html, shown, lines.join('')]) {
          expect(each.isWellFormed()).toBe(true)
          expect(each.length).toBeLessThan(16_000)
        }
      }),
      { numRuns: 50 },
    )
  })
})
