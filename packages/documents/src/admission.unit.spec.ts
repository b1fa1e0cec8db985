import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAdmission } from './admission.ts'
import { defineCollection } from './port.ts'

const jobs = defineCollection({ name: 'jobs', version: 1, idType: 'integer', schema: z.object({}), fields: {} })

describe('the admission of jobs', () => {
  it('given open jobs and some that are being written, when together they are as many as may be, then it refuses', async () => {
    const open: Record<string, number> = { a: 2, b: 0 }
    const find = async (_: unknown, tenant: string) => ({ documents: [], count: open[tenant] ?? 0 })
    const admit = createAdmission({ documents: { find }, collection: jobs, what: 'profiles', limit: 4 })
    const [first] = await Promise.all([admit('a'), admit('a')])
    await expect(admit('a')).rejects.toMatchObject({ code: 'rate-limited' })
    await admit('b')
    first.end()
    first.end()
    await admit('a')
    await expect(admit('a')).rejects.toThrow('This tenant has 4 open profiles')
  })
})
