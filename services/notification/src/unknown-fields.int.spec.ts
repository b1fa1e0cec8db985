import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Harness, openHarness, tableFixture } from './testing/harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
})
afterAll(() => harness.close())

const channel = { name: 'team', type: 'SLACK', configuration: { url: 'https://127.0.0.1/x' } }
const until = '2099-01-01'

it.each([
  ['PUT', '/notification-settings', { digestAt: '07:00', colour: 'red' }, 'colour'],
  ['PUT', '/notification-settings', { digestsAt: '07:00' }, '"digestsAt" is not known here; did you mean "digestAt"'],
  [
    'PUT',
    '/notification-settings',
    { quietHours: { from: '22:00', to: '07:00', days: [] } },
    'quietHours: "days" is not known here',
  ],
  ['POST', '/notification-mutes', { kind: 'TEST', until, reason: 'noise' }, 'reason'],
  ['POST', '/watches', { assetId: 11, severity: 'ERROR' }, 'severity'],
  ['PUT', '/watches/1', { severity: 'ERROR' }, 'severity'],
  ['POST', '/notification-channels', { ...channel, severity: 'ERROR' }, 'severity'],
  ['PUT', '/notification-channels/1', { severity: 'ERROR' }, 'severity'],
  ['POST', '/notification-channels/1/rotate', { seconds: 5 }, 'seconds'],
  ['POST', '/notification-rules/dry-run', { kind: 'TEST', policy: 5 }, 'policy'],
] as const)('given %s %s with an unknown field, then it is refused by name', async (method, path, body, named) => {
  const { status, body: answer } = await harness.ask(method, path, {}, body)
  expect([status, answer.errors[0].message]).toEqual([400, expect.stringContaining(named)])
})

it('given a channel or a watch as it was read, then it can be sent back', async () => {
  const made = (await harness.ask('POST', '/notification-channels', {}, channel)).body.data
  expect((await harness.ask('PUT', `/notification-channels/${made.id}`, {}, made)).status).toBe(200)
  await harness.ask('POST', '/watches', {}, { assetId: 11 })
  const [watch] = (await harness.ask('GET', '/watches')).body.data
  expect((await harness.ask('PUT', `/watches/${watch.id}`, {}, watch)).status).toBe(200)
  // An existing client may send more than Assay reads.
  expect((await harness.ask('POST', '/assets/11/watch', {}, { colour: 'red' })).status).toBe(200)
})
