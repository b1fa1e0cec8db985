import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Pair, startGateway } from '../testing/harness.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-first-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Starts, checks whether each pair works, stops. */
async function start(presetAdmin: Pair | undefined, pairs: readonly Pair[] = []) {
  const gateway = await startGateway({ folder, dependencies: presetAdmin ? { presetAdmin } : {} })
  const own = gateway.admin ? [{ accessKey: gateway.admin.accessKey, secretKey: gateway.admin.secretKey }] : []
  const statuses: number[] = []
  for (const pair of [...own, ...pairs]) statuses.push((await gateway.as(pair, '/admin/api/api-keys')).status)
  const { events } = await gateway.store.readAll()
  await gateway.stop()
  return { admin: gateway.admin, statuses, events: events.length, log: gateway.lines.join('') }
}

const preset = { accessKey: 'preset_access-key', secretKey: 'preset_secret-key' }

test('given an empty store, when the gateway starts twice, then it creates a pair, shows it once, and the pair keeps working', async () => {
  const first = await start(undefined)
  expect(first.admin).toMatchObject({ generated: true })
  expect(first.statuses).toEqual([200])
  expect(first.log).not.toContain(first.admin?.secretKey)
  const pair = { accessKey: first.admin?.accessKey ?? '', secretKey: first.admin?.secretKey ?? '' }
  const second = await start(undefined, [pair])
  expect(second).toMatchObject({ admin: undefined, statuses: [200], events: first.events })
})

test('given a preset pair, when the gateway starts twice, then the pair works and the second start writes nothing', async () => {
  const first = await start(preset)
  expect(first).toMatchObject({ admin: { ...preset, generated: false }, statuses: [200] })
  expect(await start(preset, [preset])).toMatchObject({ admin: undefined, statuses: [200], events: first.events })
})

test('given a start without a preset pair, when a pair is preset later, then both pairs work', async () => {
  const { admin } = await start(undefined)
  const pair = { accessKey: admin?.accessKey ?? '', secretKey: admin?.secretKey ?? '' }
  expect((await start(preset, [pair, preset])).statuses).toEqual([200, 200])
})

test('given a preset pair, when its secret is replaced, then only the new secret works', async () => {
  await start(preset)
  const changed = { ...preset, secretKey: 'another_secret-key' }
  expect((await start(changed, [preset, changed])).statuses).toEqual([401, 200])
})

test('given a revoked preset pair, when the gateway starts again, then it stays revoked', async () => {
  const gateway = await startGateway({ folder, dependencies: { presetAdmin: preset } })
  await gateway.as(preset, `/admin/api/api-keys/${preset.accessKey}`, { method: 'DELETE' })
  await gateway.stop()
  const again = await start(preset, [preset])
  expect(again.statuses).toEqual([401])
  expect(again.log).toContain('was revoked and stays revoked')
})

test('given a preset pair that is too short, when the gateway starts, then it fails and says what a pair must be', async () => {
  await expect(start({ accessKey: 'short', secretKey: 'short' })).rejects.toMatchObject({ code: 'invalid' })
})
