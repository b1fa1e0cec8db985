import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createProgress } from './progress.ts'

describe('progress', () => {
  it('given any order of handling, then the checkpoint never passes an unhandled message', () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 500 }), { maxLength: 40 })
    fc.assert(
      fc.property(numbers, fc.array(fc.nat({ max: 40 }), { maxLength: 80 }), (unsorted, steps) => {
        const waiting = unsorted.toSorted((a, b) => a - b)
        const all = [...waiting]
        const handled = new Set<number>()
        const open: number[] = []
        const progress = createProgress(0, [])
        let before = 0
        for (const step of steps) {
          const loaded = step % 2 === 0 ? waiting.shift() : undefined
          if (loaded !== undefined && progress.load(loaded)) open.push(loaded)
          const [finished] = loaded === undefined ? open.splice(step % Math.max(1, open.length), 1) : []
          if (finished !== undefined) {
            progress.handle(finished)
            handled.add(finished)
          }
          const checkpoint = progress.checkpoint()
          expect(checkpoint).toBeGreaterThanOrEqual(before)
          expect(all.filter((seq) => seq <= checkpoint && !handled.has(seq))).toEqual([])
          before = checkpoint
        }
        expect(progress.open()).toBe(open.length)
      }),
    )
  })

  it('given messages handled after the checkpoint, when they are read again, then they are skipped', () => {
    const progress = createProgress(3, [5])
    expect([progress.load(4), progress.load(5), progress.load(6)]).toEqual([true, false, true])
    progress.handle(4)
    expect(progress.checkpoint()).toBe(5)
    progress.handle(6)
    expect([progress.checkpoint(), progress.open()]).toEqual([6, 0])
  })
})
