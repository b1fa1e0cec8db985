import { documentPut } from '@assay/documents'
import type { BadRowsAsked, FirstBadRows } from '@assay/hosting/ports'
import { eventually } from '@assay/hosting/testing'
import { makeAuthority } from '@assay/testkit/certificates'
import { decodedMail, openMailSink } from '@assay/testkit/mail-sink'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { notificationPolicies } from './copies/targets.ts'
import { deliveries } from './delivery/aggregate.ts'
import { notificationScores } from './scores/score.ts'
import { openHarness, tableFixture } from './testing/harness.ts'

const opened: { close(): unknown }[] = []
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close()
})

/** A mail server that ends with the test. */
async function openMailServer(options?: Parameters<typeof openMailSink>[0]) {
  const server = await openMailSink(options)
  opened.push(server)
  return server
}

async function open(url: string, ca?: string, more: Parameters<typeof openHarness>[0] = {}) {
  const harness = await openHarness({ mail: { url, from: 'assay@example.com' }, retries: [2], ca, ...more })
  opened.push(harness)
  await harness.table(tableFixture())
  await harness.ask('POST', '/assets/11/watch')
  const configuration = { to: ['ann@example.com', 'bob@example.com'] }
  const { body } = await harness.ask('POST', '/notification-channels', {}, { name: 'x', type: 'EMAIL', configuration })
  const path = `/notification-channels/${body.data.id}`
  return {
    harness,
    path,
    test: async () => (await harness.ask('POST', `${path}/test`)).body.data,
    delivery: async (status: string) =>
      (
        await eventually(
          async () => (await harness.ask('GET', `${path}/deliveries`)).body.data,
          ([latest]) => latest?.status === status,
        )
      )[0],
  }
}

/** The stored scores that readers may see. */
const scoresIn = async ({ documents }: Awaited<ReturnType<typeof openHarness>>) =>
  (await documents.find(notificationScores, 'default', { where: [], size: 100 })).documents.filter(
    ({ score }) => score !== null,
  )

describe('e-mail', () => {
  it('given a mail server, when a watched asset changes, then all recipients get one mail as text and HTML', async () => {
    const server = await openMailServer({ disabledCommands: ['STARTTLS'] })
    const { harness, delivery } = await open(`smtp+plain://127.0.0.1:${server.port}`)
    await harness.event('catalog.AssetFactsObserved', { assetId: 11, uid: 'sales.<orders>.csv' })
    expect((await delivery('DELIVERED')).attempts).toMatchObject([{ status: 250, error: null }])
    const [mail] = server.mails
    expect(mail?.to).toEqual(['ann@example.com', 'bob@example.com'])
    expect(mail?.text).toMatch(/^Subject: \[Assay\] sales\.<orders>\.csv/m)
    expect(mail?.text).toContain('text/plain')
    expect(mail?.text).toContain('sales.&lt;orders&gt;.csv')
    expect(mail?.text).toMatch(/^Message-ID: <msg_[0-9a-f]{32}@example.com>/m)
    expect(mail?.text).toContain('https://assay.test/catalog-server/api/assets/11')
  })

  it('given runs with scores, then a mail about a run has their plot; without a score that the reader may see, it has none', async () => {
    const server = await openMailServer({ disabledCommands: ['STARTTLS'] })
    const { harness } = await open(`smtp+plain://127.0.0.1:${server.port}`)
    let executionId = 0
    const run = (data: object) => {
      executionId += 1
      harness.clock.time += 60_000
      const policy = { policyId: 7, policyName: 'orders are clean', policyType: 'DATA_QUALITY' }
      const of = { executionId, ...policy, assetId: 11, assetUid: 'orders.csv', error: null, ...data }
      return harness.event('execution.ExecutionFinished', of)
    }
    const passes = { success: 90, warning: 80 }
    const copy = {
      policyId: 7,
      name: 'orders are clean',
      assetId: 11,
      rightAssetId: null,
      tags: [],
      notificationChannels: null,
      passes,
      position: '0',
    }
    const source = { revision: 0, position: '0' }
    await harness.documents.put([documentPut(notificationPolicies, 'default', 7, copy, source)])
    for (let n = 0; n < 22; n += 1) await run({ resultStatus: 'SUCCESSFUL', qualityScore: 100 - n / 10 })
    await run({ resultStatus: 'ERRORED', qualityScore: 71.625 })
    const mails = () => server.mails.map(decodedMail)
    await eventually(mails, ({ length }) => length === 1)
    const [mail = ''] = mails()
    expect(mail).toMatch(/Scores of the last 20 runs: 99\.7, .*97\.9, 71\.62 \(successful from 90, warning from 80\)\./)
    expect(mail.match(/bgcolor="#2f855a"/g)).toHaveLength(19)
    expect(mail.match(/bgcolor="#c53030"/g)).toHaveLength(1)
    const stored = async () => (await scoresIn(harness)).length
    expect(await stored()).toBe(20)
    // The verdict depends on protected columns now.
    await run({ policyName: 'orders are secret', resultStatus: undefined, error: 'The source is gone.' })
    await eventually(mails, ({ length }) => length === 2)
    expect(mails()[1]).not.toContain('Scores of')
    expect(await stored()).toBe(0)
    // The policy uses no protected columns any more. The API still masks its earlier runs.
    await run({ policyName: 'orders are public', resultStatus: 'ERRORED', qualityScore: 50 })
    await eventually(mails, ({ length }) => length === 3)
    expect(mails()[2]).toContain('Score of the run: 50 (')
  })

  it('given a policy with scores, when a run without a public verdict fails, then no score stays', async () => {
    const harness = await openHarness()
    opened.push(harness)
    const of = { policyId: 7, policyName: 'p', policyType: 'DATA_QUALITY', assetId: 11, assetUid: 'x', error: null }
    const judged = { executionId: 1, resultStatus: 'SUCCESSFUL', qualityScore: 90 }
    await harness.event('execution.ExecutionFinished', { ...of, ...judged })
    const stored = async () => (await scoresIn(harness)).length
    await harness.event('execution.ExecutionFailed', { ...of, ...judged, executionId: 2, qualityScore: null })
    await eventually(stored, (count) => count === 1)
    await harness.event('execution.ExecutionFailed', { ...of, executionId: 4, error: 'The source is gone.' })
    await eventually(stored, (count) => count === 0)
    // An event of an earlier run arrives late, like those of two runs that end at once. Its run ended earlier, too.
    harness.clock.time -= 60_000
    await harness.event('execution.ExecutionFinished', { ...of, ...judged, executionId: 3 })
    harness.clock.time += 120_000
    await harness.event('execution.ExecutionFinished', { ...of, ...judged, executionId: 5 })
    const runs = async () => (await scoresIn(harness)).map(({ executionId }) => executionId)
    await eventually(runs, (ids) => ids.includes(5))
    expect(await runs()).toEqual([5])
  })

  it('given several e-mail channels, when a run ends, then its scores are read once for all mails', async () => {
    const server = await openMailServer({ disabledCommands: ['STARTTLS'] })
    const { harness } = await open(`smtp+plain://127.0.0.1:${server.port}`)
    for (const name of ['y', 'z']) {
      const channel = { name, type: 'EMAIL', configuration: { to: ['ann@example.com'] } }
      await harness.ask('POST', '/notification-channels', {}, channel)
    }
    const find = vi.spyOn(harness.documents, 'find')
    const of = { policyId: 7, policyName: 'p', policyType: 'DATA_QUALITY', assetId: 11, assetUid: 'x', error: null }
    const judged = { executionId: 1, resultStatus: 'ERRORED', qualityScore: 50 }
    await harness.event('execution.ExecutionFinished', { ...of, ...judged })
    const mails = await eventually(
      () => server.mails,
      ({ length }) => length === 3,
    )
    for (const mail of mails) expect(decodedMail(mail)).toContain('Score of the run: 50')
    // Storing a score reads the second page too.
    const reads = find.mock.calls.filter(([{ name }, , { page }]) => name === notificationScores.name && page !== 1)
    // One to store the score, one for all mails.
    expect(reads).toHaveLength(2)
  })

  it('given bad rows of a run, then each attempt reads them again, and they are stored nowhere', async () => {
    const server = await openMailServer({ disabledCommands: ['STARTTLS'] })
    server.refuse = 451
    const asked: Omit<BadRowsAsked, 'signal'>[] = []
    const firstBadRows: FirstBadRows = async ({ signal: _, ...of }) => {
      asked.push(of)
      return {
        item: 'has a name',
        count: 1,
        columns: ['name', 'id'],
        rows: [[null, `kept only in rows ${asked.length}`]],
      }
    }
    const { harness, delivery } = await open(`smtp+plain://127.0.0.1:${server.port}`, undefined, { firstBadRows })
    const of = { policyId: 7, policyName: 'p', policyType: 'DATA_QUALITY', assetId: 11, assetUid: 'x', error: null }
    await harness.event('execution.ExecutionFinished', { ...of, executionId: 3, resultStatus: 'ERRORED' })
    await delivery('RETRYING')
    server.refuse = 0
    harness.clock.time += 2_500
    await delivery('DELIVERED')
    const read = { tenant: 'default', user: 'ann', executionId: 3, permissions: new Set(['ASSET_VIEW', 'POLICY_VIEW']) }
    expect(asked).toEqual([read, read])
    const mail = server.mails.map(decodedMail).join()
    expect(mail).toContain("Rows that fail 'has a name'")
    expect(mail).toContain('>kept only in rows 2</td>')
    const events = await harness.store.readAll({ categories: ['delivery'] })
    const stored = await harness.documents.find(deliveries, 'default', { size: 10 })
    expect(JSON.stringify([events, stored.documents])).not.toContain('kept only in rows')
  })

  it('given a temporary refusal, then it is retried; given a permanent one, then it is parked', async () => {
    const server = await openMailServer({ disabledCommands: ['STARTTLS'] })
    const { harness, delivery } = await open(`smtp+plain://127.0.0.1:${server.port}`)
    server.refuse = 451
    await harness.event('catalog.AssetFactsObserved', { assetId: 11, uid: 'x' })
    expect((await delivery('RETRYING')).attempts).toMatchObject([
      { status: 451, error: 'The mail server answered 451.' },
    ])
    server.refuse = 550
    harness.clock.time += 2_500
    expect((await delivery('PARKED')).attempts).toHaveLength(2)
  })

  it('given a mail server that refuses one of two addresses for now, then only this one gets the mail later, and nothing waits for it', async () => {
    const server = await openMailServer({ disabledCommands: ['STARTTLS'] })
    const { harness, delivery, test } = await open(`smtp+plain://127.0.0.1:${server.port}`)
    server.refused.set('bob@example.com', 451)
    const message = 'The mail server refused bob@example.com (451). The other recipients have the message.'
    expect(await test()).toMatchObject({ delivered: false, status: 451, message })
    await harness.event('catalog.AssetFactsObserved', { assetId: 11, uid: 'x' })
    expect((await delivery('RETRYING')).attempts).toMatchObject([{ status: 451, error: message }])
    await harness.event('catalog.AssetFactsObserved', { assetId: 11, uid: 'y' })
    await eventually(
      () => server.mails.map(({ to }) => to),
      (to) => to.length === 3 && to.flat().every((address) => address === 'ann@example.com'),
    )
    // The mail arrives before its attempt is recorded, which determines when the next one is due.
    await delivery('RETRYING')
    server.refused.clear()
    harness.clock.time += 2_500
    await eventually(
      () => server.mails.slice(3).map(({ to }) => to),
      (to) => JSON.stringify(to) === JSON.stringify([['bob@example.com'], ['bob@example.com']]),
    )
    await delivery('DELIVERED')
  })

  it('given a mail server that refuses one of two addresses for good, then the mail is parked, and a replay sends it to the corrected one', async () => {
    const server = await openMailServer({ disabledCommands: ['STARTTLS'] })
    const { harness, delivery, path } = await open(`smtp+plain://127.0.0.1:${server.port}`, undefined, {
      pauseAfter: 1,
    })
    server.refused.set('bob@example.com', 550)
    await harness.event('catalog.AssetFactsObserved', { assetId: 11, uid: 'x' })
    const { id, attempts } = await delivery('PARKED')
    expect(attempts).toMatchObject([{ status: 550, error: expect.stringContaining('bob@example.com (550)') }])
    // The server took the mail for others, so the channel works.
    expect((await harness.ask('GET', path)).body.data).toMatchObject({ state: 'ACTIVE' })
    const configuration = { to: ['ann@example.com', 'bo@example.com'] }
    await harness.ask('PUT', path, {}, { configuration })
    await harness.ask('POST', `${path}/deliveries/${id}/replay`)
    await delivery('DELIVERED')
    expect(server.mails.map(({ to }) => to)).toEqual([['ann@example.com'], ['bo@example.com']])
  })

  it('given smtp://, then STARTTLS with a trusted certificate is demanded; given smtps://, then TLS', async () => {
    const authority = makeAuthority()
    const { key, certificate: cert } = authority.issueServer()
    const plain = await openMailServer({ disabledCommands: ['STARTTLS'] })
    const upgrading = await openMailServer({ key, cert })
    const secure = await openMailServer({ key, cert, secure: true })
    const sent = async (url: string, ca?: string) => (await open(url, ca)).test()
    expect(await sent(`smtp://127.0.0.1:${plain.port}`, authority.certificate)).toMatchObject({
      delivered: false,
      message: expect.stringContaining('does not offer STARTTLS'),
    })
    expect(await sent(`smtp://127.0.0.1:${upgrading.port}`, authority.certificate)).toMatchObject({ delivered: true })
    expect(await sent(`smtps://127.0.0.1:${secure.port}`, authority.certificate)).toMatchObject({ delivered: true })
    expect(await sent(`smtp://127.0.0.1:${upgrading.port}`)).toMatchObject({
      delivered: false,
      message: 'The certificate of the mail server is not trusted.',
    })
    expect([plain.mails.length, upgrading.mails.length, secure.mails.length]).toEqual([0, 1, 1])
  })

  it('given no mail server, then an EMAIL channel is 422 that says what to set', async () => {
    const harness = await openHarness()
    opened.push(harness)
    const sent = { name: 'x', type: 'EMAIL', configuration: { to: ['ann@example.com'] } }
    const { status, text } = await harness.ask('POST', '/notification-channels', {}, sent)
    expect([status, text.includes('ASSAY_SMTP_URL')]).toEqual([422, true])
  })
})
