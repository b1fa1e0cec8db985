import { afterAll, beforeAll, expect } from 'vitest'
import { flowing } from './flowing.ts'
import { type Ground, type Load, prepareGround, startLoad } from './load.ts'
import { type Settled, type SettleOptions, settled } from './settled.ts'
import { openWorld, type World } from './world.ts'

/** The follow-up of a fault. */
export interface AfterLoad extends SettleOptions {
  /** Runs once the load has stopped, when no later write can hide a fault. */
  last?(): Promise<void>
}

export interface UnderLoad {
  world(): World
  /**
   * Puts the system under load, runs `fault`, waits until writes succeed again, and expects no findings of the checker.
   * Returns the facts.
   */
  expectSound(fault: (load: Load, world: World) => Promise<AfterLoad> | Promise<void>): Promise<Settled>
}

/** For a suite: a world with `replicas` of each service, which all its tests share. */
export function underLoad(replicas: number): UnderLoad {
  let world: World | undefined
  const given = () => {
    if (world === undefined) throw new Error('The services have not been started.')
    return world
  }
  let ground: Ground | undefined
  beforeAll(async () => {
    world = await openWorld(replicas)
    ground = await prepareGround(world)
  }, 400_000)
  afterAll(() => world?.close(), 120_000)

  return {
    world: given,
    async expectSound(fault) {
      if (ground === undefined) throw new Error('The data for the load was not prepared.')
      const load = startLoad(given(), ground)
      let options: AfterLoad | undefined
      try {
        await flowing(load, 20)
        options = (await fault(load, given())) ?? undefined
        await flowing(load, 20)
      } finally {
        await load.stop()
      }
      await options?.last?.()
      const result = await settled(given(), ground, options)
      const { findings, facts, tookMs } = result
      process.stdout.write(
        `${load.count('acknowledged')} acknowledged, ${load.count('unknown')} unknown, ` +
          `${load.count('refused')} refused; in all ${facts.log.length} events, ${facts.topics.length} messages, ` +
          `${facts.effects.length} notifications, ${facts.runs.length} runs and samples; settled in ${tookMs} ms\n`,
      )
      if (findings.length > 0)
        for (const { service, running } of given().replicas)
          process.stdout.write(`--- ${service} wrote last:\n${running.output().slice(-1500)}\n`)
      const said = findings.slice(0, 20).map(({ kind, about }) => `${kind} ${about}`)
      expect(said, said.join('; ').slice(0, 2000)).toEqual([])
      return result
    },
  }
}
