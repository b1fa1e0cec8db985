import { describe, expect, it } from 'vitest'
import { assemblyRequest } from './crawl.ts'
import { policyName } from './policy-input.ts'

describe('names in paths', () => {
  const refused = ['.', '..', ' .. ', '', '  ', '2026', 'a/b']
  it.each(refused)('given %j, then neither a policy nor an assembly may have it', (name) => {
    const assembly = { name, sourceType: 'FILE', configuration: { path: '/data' } }
    expect(policyName.safeParse(name).success).toBe(false)
    expect(assemblyRequest.safeParse(assembly).success).toBe(false)
  })

  it('given a name of dots only, then the message says why', () => {
    expect(() => policyName.parse('..')).toThrow("must not be '.' or '..'")
  })

  it.each(['...', '.a', 'a.', '%2e', 'a..b'])('given %j, then a policy and an assembly may have it', (name) => {
    expect(policyName.parse(name)).toBe(name)
    expect(assemblyRequest.safeParse({ name, sourceType: 'FILE', configuration: {} }).success).toBe(true)
  })
})
