import { describe, expect, it } from 'vitest'
import { withoutValues } from './masking.ts'

describe('a failure that everybody may read about', () => {
  it.each([
    "Conversion Error: Could not convert string 'secret' to INT32",
    'Invalid Input Error: secret',
    'The rows could not be read: Invalid Input Error: IO Error: secret\nError: secret',
    'filter: Out of Range Error: Overflow in multiplication of INT64 (secret * 2)!',
    "The transform 'x': Mismatch Type Error: Type VARCHAR with value secret",
  ])("given the engine's message about a row (%s), then it is removed, and the kind of error stays", (sentence) => {
    const text = withoutValues(sentence)
    expect(text).not.toContain('secret')
    expect(text).toMatch(/^(.*: )?(Conversion|Invalid Input|Out of Range|Mismatch Type) Error\. The details are hidden/)
  })

  it.each([
    'Binder Error: Referenced column "x" not found in FROM clause!',
    'The filter cannot be used: Parser Error: syntax error at or near "x"',
    'IO Error: Could not read from file "orders.csv"',
    'The asset is no longer in its source; crawl its assembly again.',
    'There is no partition country=DE in the data.',
  ])('given a message without values (%s), then it stays unchanged', (sentence) => {
    expect(withoutValues(sentence)).toBe(sentence)
  })
})
