import { permissions } from '@assay/contracts'
import { describe, expect, it } from 'vitest'
import { createPolicies } from './find-policy.ts'

/** No policies, and copies that lack `late`. */
function policiesWithout(late: readonly string[]) {
  const documents = {
    get: async () => undefined,
    find: async () => ({ documents: [], count: 0, isCountCapped: false }),
  }
  return createPolicies({ documents, readYourWrites: async () => late })
}
const identity = { tenant: 't', user: 'ann', accessKey: 'k', permissions: new Set(permissions) }
const call = { identity, seen: new Map(), signal: new AbortController().signal }

describe('a policy that is not there', () => {
  it('given a caller who has seen nothing of it, then it is not found, even if others are late', async () => {
    const policies = policiesWithout(['policy-8@0'])
    await expect(policies.byId(7, call)).rejects.toMatchObject({ code: 'not-found' })
    await expect(policiesWithout([]).byName('p', call)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('given a caller who has seen it, or a policy that may have the name, then the answer is 503', async () => {
    const late = { code: 'unavailable', retryAfterSeconds: 1 }
    await expect(policiesWithout(['policy-7@0']).byId(7, call)).rejects.toMatchObject(late)
    await expect(policiesWithout(['policy-8@0']).byName('p', call)).rejects.toMatchObject(late)
  })
})
