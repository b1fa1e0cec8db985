import { describe, expect, test } from 'vitest'
import { nameRecord, wordRecords } from './names.ts'

describe('names in MongoDB', () => {
  test('given a name, then its tokens are its runs, the beginnings of its words, and its words', () => {
    const { tokens, tails, squashed } = nameRecord('t', 'orderId_x')
    expect(squashed).toBe('orderidx')
    expect(tokens).toEqual(expect.arrayContaining(['o', 'or', 'ord', 'idx', '^i', '^id', '^x', '~order']))
    // `id` is too short for typos; the beginning of the whole name needs no token.
    expect(tokens).not.toContain('~id')
    expect(tokens).not.toContain('^o')
    expect(tails).toEqual(['idx', 'x'])
  })

  test('given names with common words, then each word has one record, with its typo keys', () => {
    const words = wordRecords('t', ['order_id', 'orderName', 'name', '2024'])
    expect(words.map(({ word }) => word)).toEqual(['order', 'name'])
    expect(words[1]?.keys.toSorted()).toEqual(['ame', 'nae', 'nam', 'name', 'nme'])
    expect(new Set(words.map(({ _id }) => _id)).size).toBe(2)
  })

  test('given many names, then the buckets have about the same size, and a name is always in the same bucket', () => {
    const parts = Array.from({ length: 10_240 }, (_, at) => nameRecord('t', `table_${at}`).bucket)
    const counts = [...Map.groupBy(parts, (part) => part).values()].map((some) => some.length)
    expect(counts).toHaveLength(256)
    expect(Math.max(...counts)).toBeLessThan(120)
    expect(nameRecord('t', 'table_7').bucket).toBe(parts[7])
  })
})
