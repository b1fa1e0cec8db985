import { catalogOperations } from '@assay/contracts'
import { AssayError } from '@assay/service-kit/errors'
import { describe, expect, it } from 'vitest'
import { withRetries } from './retries.ts'

describe('a call of the first start', () => {
  const failing = (failures: AssayError[]) => {
    let calls = 0
    const call = async () => {
      calls += 1
      const failure = failures.shift()
      if (failure) throw failure
      return { data: [] } as never
    }
    return { client: withRetries({ call }, async () => undefined), calls: () => calls }
  }

  it('given a dependency that is unavailable for a while, then the call is retried until it succeeds', async () => {
    const { client, calls } = failing(Array.from({ length: 100 }, () => new AssayError('unavailable', 'No leader.')))
    await client.call(catalogOperations.listAssemblies)
    expect(calls()).toBe(101)
  })

  it('given another error, or a thousand failed attempts, then the call fails', async () => {
    const refused = failing([new AssayError('invalid', 'No such path.')])
    await expect(refused.client.call(catalogOperations.listAssemblies)).rejects.toThrow('No such path.')
    const never = failing(Array.from({ length: 5_000 }, () => new AssayError('unavailable', 'No leader.')))
    await expect(never.client.call(catalogOperations.listAssemblies)).rejects.toThrow('No leader.')
    expect(never.calls()).toBe(1_200)
  })
})
