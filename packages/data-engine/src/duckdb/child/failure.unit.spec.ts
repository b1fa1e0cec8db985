import { describe, expect, it } from 'vitest'
import { engineMessage } from './failure.ts'

describe("what people are told of a driver's error", () => {
  it.each([
    [
      "Binder Error: No function matches 'sum(VARCHAR)'. Add casts.\n\tCandidate functions:\n\tsum(DECIMAL) -> DECIMAL\n\tsum(BIGINT) -> HUGEINT",
      "Binder Error: No function matches 'sum(VARCHAR)'. Add casts.",
    ],
    ['Parser Error: syntax error at or near ")"\n\nLINE 1: SELECT )', 'Parser Error: syntax error at or near ")"'],
    ['Binder Error: no column "x"\nLINE 1: SELECT x', 'Binder Error: no column "x"'],
    ['IO Error: cannot read /srv/in/a.csv', 'IO Error: cannot read …/a.csv'],
  ])('given %j, then it is %j', (error, message) => {
    expect(engineMessage(new Error(error), ['/srv/in'])).toBe(message)
  })
})
