import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { services } from '../topology.ts'
import { flowing } from './flowing.ts'
import { createReplay } from './replay.ts'
import { limitMs, rounds } from './rounds.ts'
import { underLoad } from './under-load.ts'
import type { Replica, World } from './world.ts'

/** Longer than Kafka's session (6 s) and than a lease that is not renewed (15 s). */
const pauseMs = 17_000

/** One of each service. */
const replicasOf = (world: World, index: number): Replica[] =>
  services.flatMap((service) => world.of(service).slice(index, index + 1))

describe('given two of each service under load', () => {
  const { world, expectSound } = underLoad(2)

  test('when one of each is killed at once, then nothing is lost, doubled, swapped or left open', {
    timeout: limitMs(40_000),
  }, async () => {
    await expectSound(async (load, world) => {
      for (let round = 0; round < rounds; round++) {
        await flowing(load, 10)
        await Promise.all(replicasOf(world, round % 2).map((replica) => world.killAndRestart(replica)))
      }
    })
  })

  test('when members are paused, resumed, leave and join while they handle messages, then each message has its effect once', {
    timeout: limitMs(60_000),
  }, async () => {
    await expectSound(async (load, world) => {
      // Slows down handling.
      world.proxies.mongo.break({ kind: 'delay', ms: 30 })
      for (let round = 0; round < rounds; round += 2) {
        const members = replicasOf(world, 0).filter(({ service }) => service !== 'gateway')
        for (const { running } of members) running.kill('SIGSTOP')
        await sleep(pauseMs)
        for (const { running } of members) running.kill('SIGCONT')
        await flowing(load, 10)
        await Promise.all(members.map((replica) => world.stopAndRestart(replica)))
      }
      world.proxies.mongo.heal()
    })
  })

  test('when messages are repeated, late and in the reverse order, then they have no effect', {
    timeout: limitMs(60_000),
  }, async () => {
    const replay = createReplay(world().kafka.brokers)
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
          // Later messages would repair what an old message did to a replica.
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
