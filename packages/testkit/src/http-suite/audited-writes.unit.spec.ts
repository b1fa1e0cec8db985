import { operations } from '@assay/contracts'
import { describe, expect, it } from 'vitest'
import { auditedWriteOf, isWrite } from './audited-writes.ts'

describe('the expected audit lines of writes', () => {
  it('given the table of operations, then every write is declared, and no read', () => {
    const writes = operations.filter(isWrite)
    expect(writes.map((operation) => auditedWriteOf(operation).action)).not.toContain('')
    expect(writes.map(({ method }) => method)).not.toContain('GET')
  })
})
