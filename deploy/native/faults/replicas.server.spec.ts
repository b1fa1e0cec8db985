import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { services } from '../topology.ts'
import { flowing } from './flowing.ts'
import { createReplay } from './replay.ts'
import { limitMs, rounds } from './rounds.ts'
import type { Replica, System } from './system.ts'
import { underLoad } from './under-load.ts'

/** Longer than Kafka's session (6 s) and than a lease that is not renewed (15 s). */
const pauseMs = 17_000

/** One replica of each service. */
const replicasOf = (system: System, index: number): Replica[] =>
  services.flatMap((service) => system.of(service).slice(index, index + 1))

describe('given two replicas of each service under load', () => {
  const { system, expectSound } = underLoad(2)

  test('when one of each is killed at the same time, then nothing is lost, doubled, swapped or left open', {
    timeout: limitMs(40_000),
  }, async () => {
    await expectSound(async (load, system) => {
      for (let round = 0; round < rounds; round++) {
        await flowing(load, 10)
        await Promise.all(replicasOf(system, round % 2).map((replica) => system.killAndRestart(replica)))
      }
    })
  })

  test('when members are paused, resumed, leave and join while they handle messages, then each message has its effect once', {
    timeout: limitMs(60_000),
  }, async () => {
    await expectSound(async (load, system) => {
      // Makes handlers slow.
      system.proxies.mongo.break({ kind: 'delay', ms: 30 })
      for (let round = 0; round < rounds; round += 2) {
        const members = replicasOf(system, 0).filter(({ service }) => service !== 'gateway')
        for (const { running } of members) running.kill('SIGSTOP')
        await sleep(pauseMs)
        for (const { running } of members) running.kill('SIGCONT')
        await flowing(load, 10)
        await Promise.all(members.map((replica) => system.stopAndRestart(replica)))
      }
      system.proxies.mongo.heal()
    })
  })

  test('when messages are repeated, late and in the reverse order, then they have no effect', {
    timeout: limitMs(60_000),
  }, async () => {
    const replay = createReplay(system().kafka.brokers)
    try {
      await expectSound(async (load) => {
        for (let round = 0; round < rounds; round++) {
          await replay.again({ reversed: round % 2 === 0, elsewhere: true })
          await flowing(load, 20)
          await replay.again({ reversed: round % 2 === 1, elsewhere: false })
          await flowing(load, 20)
        }
        return {
          isForeign: replay.isOfReplay,
          // While the load runs, later messages would repair a local read model that an old message has damaged.
          async last() {
            await replay.again({ reversed: true, elsewhere: true })
            await replay.handled()
          },
        }
      })
    } finally {
      await replay.close()
    }
  })
})
