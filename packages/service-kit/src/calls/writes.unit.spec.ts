import { describe, expect, it } from 'vitest'
import { collectWrites, isCollectingWrites, noteWrite } from './writes.ts'

describe('collectWrites', () => {
  it('given work with writes, when it ends, then the result has the latest positions, each once', async () => {
    const { result, positions } = await collectWrites(async () => {
      noteWrite('1')
      await Promise.resolve()
      for (let at = 1; at <= 20; at++) noteWrite(String(at))
      return isCollectingWrites()
    })
    expect(result).toBe(true)
    expect(positions).toEqual(Array.from({ length: 16 }, (_, at) => String(at + 5)))
  })

  it('given two concurrent pieces of work, then each has its own positions', async () => {
    const all = await Promise.all(['a', 'b'].map((each) => collectWrites(async () => noteWrite(each))))
    expect(all.map(({ positions }) => positions)).toEqual([['a'], ['b']])
  })

  it('given background work, or no collector, then nothing is collected', async () => {
    let left: Promise<boolean> | undefined
    const { positions } = await collectWrites(async () => {
      left = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        noteWrite('late')
        return isCollectingWrites()
      })
    })
    expect(await left).toBe(false)
    expect(positions).toEqual([])
    noteWrite('nobody')
    expect(isCollectingWrites()).toBe(false)
  })
})
