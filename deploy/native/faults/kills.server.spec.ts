import { describe, test } from 'vitest'
import { services } from '../topology.ts'
import { flowing } from './flowing.ts'
import { limitMs, rounds } from './rounds.ts'
import { underLoad } from './under-load.ts'

describe('given one of each service under load', () => {
  const { expectSound } = underLoad(1)

  test(
    `when each is killed in turn, ${rounds} times, then nothing is lost, doubled, swapped or left open`,
    async () => {
      await expectSound(async (load, world) => {
        for (let round = 0; round < rounds; round++)
          for (const service of services) {
            await flowing(load, 10)
            for (const replica of world.of(service)) await world.killAndRestart(replica)
          }
      })
    },
    limitMs(60_000),
  )
})
