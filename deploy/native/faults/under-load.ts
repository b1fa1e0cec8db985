import { afterAll, beforeAll, expect } from 'vitest'
import { flowing } from './flowing.ts'
import { type Load, type LoadTargets, prepareLoad, startLoad } from './load.ts'
import { checkUntilSettled, type Settled, type SettleOptions } from './settled.ts'
import { type System, startSystem } from './system.ts'

/** The steps after a fault. */
export interface AfterLoad extends SettleOptions {
  /** Runs once the load has stopped, when no later write can hide a fault. */
  last?(): Promise<void>
}

export interface UnderLoad {
  system(): System
  /**
   * Puts the system under load, runs `fault`, waits until writes succeed again, and expects no findings of the checker.
   * Returns the facts.
   */
  expectSound(fault: (load: Load, system: System) => Promise<AfterLoad> | Promise<void>): Promise<Settled>
}

/** A system with `replicas` of each service, shared by all tests of a suite. */
export function underLoad(replicas: number): UnderLoad {
  let system: System | undefined
  const given = () => {
    if (system === undefined) throw new Error('The services have not been started.')
    return system
  }
  let targets: LoadTargets | undefined
  beforeAll(async () => {
    system = await startSystem(replicas)
    targets = await prepareLoad(system)
  }, 400_000)
  afterAll(() => system?.close(), 120_000)

  return {
    system: given,
    async expectSound(fault) {
      if (targets === undefined) throw new Error('The data for the load was not prepared.')
      const load = startLoad(given(), targets)
      let options: AfterLoad | undefined
      try {
        await flowing(load, 20)
        options = (await fault(load, given())) ?? undefined
        await flowing(load, 20)
      } finally {
        await load.stop()
      }
      await options?.last?.()
      const result = await checkUntilSettled(given(), targets, options)
      const { findings, facts, tookMs } = result
      process.stdout.write(
        `${load.count('acknowledged')} acknowledged, ${load.count('unknown')} unknown, ` +
          `${load.count('refused')} refused; in all ${facts.log.length} events, ${facts.topics.length} messages, ` +
          `${facts.effects.length} notifications, ${facts.runs.length} runs and samples; settled in ${tookMs} ms\n`,
      )
      if (findings.length > 0)
        for (const { service, running } of given().replicas)
          process.stdout.write(`--- last output of ${service}:\n${running.output().slice(-1500)}\n`)
      const texts = findings.slice(0, 20).map(({ kind, about }) => `${kind} ${about}`)
      expect(texts, texts.join('; ').slice(0, 2000)).toEqual([])
      return result
    },
  }
}
