import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { done } from './port.ts'
import { testMessage } from './testing/message.ts'
import { withSchema } from './with-schema.ts'

const schema = z.object({ size: z.int() })

describe('withSchema', () => {
  it('given data that matches, then the handler gets the parsed data', async () => {
    const seen: unknown[] = []
    const take = withSchema(schema, async (data, { tenant }) => void seen.push([tenant, data]))
    const message = { ...testMessage('a', '1'), data: { size: 1, more: 'x' } }
    expect(await take({ message })).toEqual(done)
    expect(seen).toEqual([[message.tenant, { size: 1 }]])
  })

  it('given data that does not match, then the message is parked with the reason, and the handler is not called', async () => {
    const take = withSchema(schema, () => Promise.reject(new Error('taken')))
    const outcome = await take({ message: { ...testMessage('a', '1'), data: { size: 'x' } } })
    expect(outcome).toMatchObject({ kind: 'park', reason: expect.stringContaining('size') })
  })
})
