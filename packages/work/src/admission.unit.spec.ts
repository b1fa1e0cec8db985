import type { Query } from '@assay/documents'
import { describe, expect, it } from 'vitest'
import { createAdmission } from './admission.ts'

describe('createAdmission', () => {
  it('given open jobs and jobs being written, when their sum reaches the limit, then the next is refused', async () => {
    const open: Record<string, number> = { a: 2, b: 0 }
    const find = async (_collection: unknown, _tenant: string, { where = [] }: Query) => {
      const tenant = where.flatMap((one) => (one.field === 'tenant' && 'is' in one ? [String(one.is)] : []))
      return { documents: [], count: open[tenant[0] ?? ''] ?? 0 }
    }
    const admit = createAdmission({ documents: { find }, kind: 'profile', what: 'profiles', limit: 4 })
    const [first] = await Promise.all([admit('a'), admit('a')])
    await expect(admit('a')).rejects.toMatchObject({ code: 'rate-limited' })
    await admit('b')
    first.end()
    first.end()
    await admit('a')
    await expect(admit('a')).rejects.toThrow('This tenant has 4 open profiles')
  })
})
