import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import type { Fault } from '../../../packages/testkit/src/index.ts'
import { services } from '../topology.ts'
import { flowing } from './flowing.ts'
import { downMs, limitMs, rounds } from './rounds.ts'
import { underLoad } from './under-load.ts'

/** All except the gateway: callers always reach it, and it must handle faults of the services behind it. */
const behindTheGateway = services.filter((service) => service !== 'gateway')

const dropAnswers: Fault = { kind: 'drop-answers' }

/** A round kills every service, so one is enough in every test run. */
const kills = Math.ceil(rounds / 2)

describe('given one replica of each service under load', () => {
  const { expectSound } = underLoad(1)

  test(
    `when each is killed in turn, ${kills} times, then nothing is lost, doubled, swapped or left open`,
    async () => {
      await expectSound(async (load, system) => {
        for (let round = 0; round < kills; round++)
          for (const service of services) {
            await flowing(load, 10)
            for (const replica of system.of(service)) await system.killAndRestart(replica)
          }
      })
    },
    limitMs(60_000),
  )

  test(
    'when answers of the event store are lost after it has written, then each write takes effect once',
    async () => {
      await expectSound(async (load, { proxies, events }) => {
        for (let round = 0; round < rounds; round++) {
          proxies.events.break(dropAnswers)
          await sleep(300)
          proxies.events.heal()
          await flowing(load, 10)
          events.faults.unanswered = { count: 8, by: 'cut' }
          await flowing(load, 10)
          events.faults.unanswered = { count: 2, by: 'silence' }
          await flowing(load, 10)
        }
      })
    },
    limitMs(40_000),
  )

  test(
    'when the broker is killed and comes back, then writes continue meanwhile, and all of them are published',
    async () => {
      await expectSound(async (load, { kafka, proxies }) => {
        for (let round = 0; round < rounds; round++) {
          await kafka.kill()
          await flowing(load, 30)
          await kafka.restart()
          await flowing(load, 10)
          // The broker stores messages without acknowledging them.
          proxies.kafka.break(dropAnswers)
          await flowing(load, 10)
          proxies.kafka.heal()
          await flowing(load, 10)
        }
      })
    },
    limitMs(40_000),
  )

  test(
    `when MongoDB is down for ${downMs / 1000} s, by refusals and by silence, then the read models catch up`,
    async () => {
      await expectSound(async (load, { proxies }) => {
        proxies.mongo.break({ kind: 'refuse' })
        await sleep(downMs)
        proxies.mongo.heal()
        await flowing(load, 20)
        proxies.mongo.break({ kind: 'silence' })
        await sleep(downMs / 3)
        proxies.mongo.heal()
      })
    },
    limitMs(0) + 2 * downMs,
  )

  test(
    'when connections from the gateway to the services are cut, silent, slow or lose answers, then no write happens twice',
    async () => {
      const faults: Fault[] = [dropAnswers, { kind: 'refuse' }, { kind: 'silence' }, { kind: 'delay', ms: 400 }]
      await expectSound(async (load, { proxies }) => {
        for (let round = 0; round < rounds; round += 2)
          for (const fault of faults)
            for (const broken of [behindTheGateway, services]) {
              for (const service of broken) proxies.services[service].break(fault)
              await sleep(1_000)
              for (const service of broken) proxies.services[service].heal()
              await flowing(load, 10)
              for (const service of broken) proxies.services[service].cut()
              await flowing(load, 10)
            }
      })
    },
    limitMs(40_000),
  )
})
