import { type CommandHandler, createCommandHandler, createCommit } from '@assay/event-store'
import { systemClock, systemTimers, uuidV7 } from '@assay/service-kit/node'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { assetStreamId } from '../asset/uid.ts'
import { type OpenCatalog, openCatalog } from '../testing/harness.ts'
import { uidReservationAggregate } from '../uid-reservation/aggregate.ts'
import { createUidReservations } from './uid-reservations.ts'

let catalog: OpenCatalog
let handler: CommandHandler
beforeEach(async () => {
  catalog = await openCatalog()
  const { store, documents } = catalog
  const commit = createCommit(store, documents, (error) => {
    throw error
  })
  handler = createCommandHandler({
    ...{ store, documents, commit },
    ...{ clock: systemClock, timers: systemTimers, newId: uuidV7 },
  })
})
afterEach(() => catalog.close())

const reservationsOf = (of: CommandHandler) => createUidReservations({ handler: of, clock: systemClock, newId: uuidV7 })

it('given many tables of one folder, then only UIDs of tables that are being written stay reserved', async () => {
  const reservations = reservationsOf(handler)
  for (let n = 0; n < 100; n++) {
    const uids = [`s.t${n}`]
    await reservations.reserve('t', uids, `s.t${n}`)
    if (n > 1) reservations.release('t', uids)
  }
  const { state } = await handler.load(uidReservationAggregate, 't', assetStreamId('s'))
  expect(JSON.stringify(state).match(/s\.t\d+/g)).toEqual(['s.t0', 's.t1', 's.t99'])
})

it('given the fields of many nested columns, then UIDs below different parents are reserved concurrently', async () => {
  let running = 0
  let most = 0
  const counting: CommandHandler = {
    ...handler,
    async handle(aggregate, request) {
      running += 1
      most = Math.max(most, running)
      try {
        return await handler.handle(aggregate, request)
      } finally {
        running -= 1
      }
    },
  }
  const uids = Array.from({ length: 40 }, (_, n) => `s.t.c${n}.x`)
  expect(await reservationsOf(counting).reserve('t', uids, 's.t')).toEqual(new Set())
  expect(most).toBeGreaterThan(8)
  expect(await reservationsOf(handler).reserve('t', uids, 's.u')).toEqual(new Set(uids))
})

it('given a log that does not answer, then the reservation rejects with its error, and leaves no append running', async () => {
  let running = 0
  const failing: CommandHandler = {
    ...handler,
    async handle() {
      running += 1
      await systemTimers.sleep(5)
      running -= 1
      throw new Error('The log did not answer.')
    },
  }
  const uids = Array.from({ length: 40 }, (_, n) => `s.t.c${n}.x`)
  await expect(reservationsOf(failing).reserve('t', uids, 's.t')).rejects.toThrow('The log did not answer.')
  expect(running).toBe(0)
})
