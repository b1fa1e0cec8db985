import { describe, test } from 'vitest'
import { services } from '../topology.ts'
import { flowing } from './flowing.ts'
import { limitMs, rounds } from './rounds.ts'
import { underLoad } from './under-load.ts'

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
})
