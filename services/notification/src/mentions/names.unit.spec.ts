import { expect, it } from 'vitest'
import { mentionsIn } from './names.ts'

it.each<[string, string[][]]>([
  ['@anna, look', [['anna']]],
  ['See (@Anna).', [['Anna']]],
  ['@anna.', [['anna.', 'anna']]],
  ['@anna.lee@example.com and @bob', [['anna.lee@example.com'], ['bob']]],
  ['@"two words" is not @"', [['two words']]],
  ['mail anna@example.com, 7@anna, é@anna', []],
  ['`@anna` and ``x ` @anna`` but @bob', [['bob']]],
  ['one ` and @anna', [['anna']]],
  ['```\n@anna\n``` @bob', [['bob']]],
  ["@anna's table, @@bob, @", [['anna'], ['bob']]],
])('given the comment %j, then it mentions %j', (comment, mentions) => {
  expect(mentionsIn(comment)).toEqual(mentions)
})
