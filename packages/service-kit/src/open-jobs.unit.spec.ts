import { describe, expect, it } from 'vitest'
import { createOpenJobs } from './open-jobs.ts'

const owner = (accessKey: string, tenant = 't') => ({ tenant, accessKey })

describe('open jobs', () => {
  it('given a key at its limit, then its next job is refused until one ends', () => {
    const jobs = createOpenJobs('samples', { perKey: 2, perTenant: 3 })
    const [first] = [jobs.admit(owner('k')), jobs.admit(owner('k'))]
    expect(() => jobs.admit(owner('k'))).toThrow(/^This key has 2 open samples/)
    first.end()
    first.end()
    jobs.admit(owner('k'))
    expect(() => jobs.admit(owner('k'))).toThrow(
      expect.objectContaining({ code: 'rate-limited', retryAfterSeconds: 10 }),
    )
  })

  it('given a tenant at its limit, including jobs of an earlier process, then its other keys are refused, and other tenants are not', () => {
    const jobs = createOpenJobs('samples', { perKey: 2, perTenant: 2 })
    jobs.admit(owner('k'))
    jobs.count({ tenant: 't' })
    expect(() => jobs.admit(owner('m'))).toThrow(/^This tenant has 2 open samples/)
    jobs.admit(owner('k', 'other'))
  })
})
