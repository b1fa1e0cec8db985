import { describe, expect, it } from 'vitest'
import { missingColumn } from './missing-column.ts'

describe('a column that does not exist', () => {
  it.each([
    ['amont', ['amont > 1'], 'There is no column "amont"; did you mean "amount"? (character 1)'],
    [
      'o.amont',
      ["o.t = 'amont' /* amont */ AND o.amont > 1"],
      'There is no column "amont"; did you mean "amount"? (character 33)',
    ],
    ['Amont', ['x > 1', 'ä AND "Amont" = 1'], 'There is no column "Amont"; did you mean "amount"? (character 7)'],
    ['other', ["a ' b"], 'There is no column "other".'],
    ['amount', ['amount'], 'There is no column "amount". (character 1)'],
  ])('given %s in %s, then the sentence has its place and a similar name', (written, texts, sentence) => {
    expect(missingColumn(written, texts, ['id', 'amount'])).toBe(sentence)
  })
})
