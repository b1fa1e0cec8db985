import { describe, expect, test } from 'vitest'
import { freeObject, freeValue, plainText, timeInput } from './scalars.ts'

describe('texts', () => {
  test.each(['a\0b', 'a\ud800b', '\udc00', 'a\udc00\ud800'])(
    'given %j, when it is sent anywhere, then it is refused and the error names its path',
    (text) => {
      expect(plainText(100).safeParse(text).success).toBe(false)
      expect(freeValue.safeParse([{ deep: text }]).error?.issues[0]?.path).toEqual([0, 'deep'])
      expect(freeObject.safeParse({ a: [1, { b: text }] }).error?.issues[0]?.path).toEqual(['a', 1, 'b'])
      expect(freeObject.safeParse({ [text]: 1 }).success).toBe(false)
    },
  )

  test('given an invalid text in a deeply nested body, then the error names its complete path', () => {
    const deep = JSON.parse(`${'['.repeat(190)}1,"\\u0000"${']'.repeat(190)}`)
    expect(freeValue.safeParse(deep).error?.issues[0]?.path).toEqual([...Array(189).fill(0), 1])
  })

  test.each(['', 'имя 用户 مثال', '\u{1F469}\u200D\u{1F467}', '__proto__'])(
    'given %j, when it is sent anywhere, then it stays unchanged',
    (text) => {
      expect(plainText(100).parse(text)).toBe(text)
      expect(freeValue.parse({ [text]: [text, null, 1.5, true] })).toEqual({ [text]: [text, null, 1.5, true] })
    },
  )
})

test('given times of requests, then those after the year 9999 are refused, because their texts would sort before earlier ones', () => {
  const last = Date.parse('9999-12-31T23:59:59.999Z')
  expect(timeInput.parse('2026-01-31T08:00:00')).toBe(Date.parse('2026-01-31T08:00:00Z'))
  expect(timeInput.parse(last)).toBe(last)
  for (const late of [last + 1, Number.MAX_SAFE_INTEGER]) expect(timeInput.safeParse(late).success).toBe(false)
})
