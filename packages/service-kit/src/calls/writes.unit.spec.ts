import { describe, expect, it } from 'vitest'
import { collectWrites, isCollectingWrites, noteWrite } from './writes.ts'

describe('collectWrites', () => {
  it('given work with writes, when it ends, then the result has the latest positions, each once', async () => {
    const { result, positions, states } = await collectWrites(async () => {
      noteWrite({ position: '1', state: 'tag-1@0' })
      await Promise.resolve()
      for (let at = 1; at <= 20; at++) noteWrite({ position: String(at) })
      return isCollectingWrites()
    })
    expect(result).toBe(true)
    expect(states).toEqual(['tag-1@0'])
    expect(positions).toEqual(Array.from({ length: 16 }, (_, at) => String(at + 5)))
  })

  it('given two concurrent pieces of work, then each has its own positions', async () => {
    const all = await Promise.all(['a', 'b'].map((each) => collectWrites(async () => noteWrite({ position: each }))))
    expect(all.map(({ positions }) => positions)).toEqual([['a'], ['b']])
  })

  it('given background work, or no collector, then nothing is collected', async () => {
    let left: Promise<boolean> | undefined
    const { positions } = await collectWrites(async () => {
      left = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        noteWrite({ position: 'late', state: 'tag-2@0' })
        return isCollectingWrites()
      })
    })
    expect(await left).toBe(false)
    expect(positions).toEqual([])
    noteWrite({ position: 'nobody' })
    expect(isCollectingWrites()).toBe(false)
  })
})
