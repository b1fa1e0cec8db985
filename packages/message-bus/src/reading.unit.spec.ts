import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { done } from './port.ts'
import { taking } from './reading.ts'
import { testMessage } from './testing/message.ts'

const schema = z.object({ size: z.int() })

describe('taking messages by their schema', () => {
  it('given data that fits, when taken, then it is handed over as it was read', async () => {
    const seen: unknown[] = []
    const take = taking(schema, async (data, { tenant }) => void seen.push([tenant, data]))
    const message = { ...testMessage('a', '1'), data: { size: 1, more: 'x' } }
    expect(await take({ message })).toEqual(done)
    expect(seen).toEqual([[message.tenant, { size: 1 }]])
  })

  it('given data that does not fit, when taken, then it is parked with the reason, and nothing is done', async () => {
    const take = taking(schema, () => Promise.reject(new Error('taken')))
    const outcome = await take({ message: { ...testMessage('a', '1'), data: { size: 'x' } } })
    expect(outcome).toMatchObject({ kind: 'park', reason: expect.stringContaining('size') })
  })
})
