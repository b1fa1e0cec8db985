import { describe, expect, it } from 'vitest'
import type { TableLocator } from './dataset.ts'
import { usesRe2 } from './locators.ts'
import { viewOf } from './push-down/same-answers.fixture.ts'

describe('usesRe2', () => {
  it.each([
    ['POSTGRESQL', false],
    ['MARIADB', true],
    ['TRINO', true],
  ] as const)('given a table or a view in %s, then it is %s', (engine, isRe2) => {
    const place = { schema: 'public', table: 'orders', columns: [], fingerprint: '' }
    const table: TableLocator = { kind: 'relation', engine, ...place }
    expect(usesRe2(table)).toBe(isRe2)
    expect(usesRe2(viewOf(table))).toBe(isRe2)
  })
})
