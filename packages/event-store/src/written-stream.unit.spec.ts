import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { streamName } from './port.ts'
import { createWaitForStreams, isLogPosition, parseWrittenStream, writtenStreamText } from './written-stream.ts'

const timers = { sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) }

describe('names of written streams', () => {
  it('given any id, then its text has no separator of the header, and is parsed to the same', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.nat(), (id, revision) => {
        fc.pre(id.isWellFormed() && !/[\r\n]/.test(id))
        const text = writtenStreamText(streamName('t', 'tag', id), revision) ?? ''
        expect(text).toMatch(/^[\w.!~*'()%@-]+$/)
        expect([parseWrittenStream(text), isLogPosition(text)]).toEqual([{ category: 'tag', id, revision }, false])
      }),
    )
  })

  it('given positions of a log and texts that a client made up, then they name no stream', () => {
    for (const text of ['0000000000000000012', '7_9', 'tag-%E0%A4%A@1', 'tag@1', 'tag-1@', 'tag-1@x'])
      expect(parseWrittenStream(text)).toBeUndefined()
  })
})

describe('waiting for the copies of streams', () => {
  it('given a copy that is behind, then it waits until the copy has the revision, and for no other category', async () => {
    let revision = 1
    const asked: string[] = []
    const wait = createWaitForStreams({
      timers,
      revisionOf: {
        tag: async (tenant, id) => {
          asked.push(`${tenant} ${id}`)
          return revision++
        },
      },
    })
    await wait({ tenant: 't', seen: ['tag-7@3', 'label-8@9', '0000012'] })
    expect(asked).toEqual(['t 7', 't 7', 't 7'])
  })

  it('given a copy that never comes, then it gives up after two seconds, and nobody waits for it again', async () => {
    let asked = 0
    const wait = createWaitForStreams({
      timers,
      revisionOf: {
        tag: async () => {
          asked += 1
          return undefined
        },
      },
    })
    await wait({ tenant: 't', seen: ['tag-7@0'] })
    expect(asked).toBe(27)
    await wait({ tenant: 't', seen: ['tag-7@0'] })
    expect(asked).toBe(27)
  })
})
