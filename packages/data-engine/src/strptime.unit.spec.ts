import { expect, it } from 'vitest'
import { formatOfLetters, strptimeFormat } from './strptime.ts'

it.each([
  ['dd.MM.yyyy', '%d.%m.%Y'],
  ["yyyy-MM-dd'T'HH:mm:ss.SSSXXX", '%Y-%m-%dT%H:%M:%S.%g%z'],
  ["d MMM yy 'o''clock'", "%d %b %y o'clock"],
  ['MM/dd/yyyy hh:mm a', '%m/%d/%Y %I:%M %p'],
  ['%d/%m/%Y', '%d/%m/%Y'],
  ['%Q', undefined],
  ['qq', undefined],
  ['--', undefined],
])('the format %s is %s', (format, expected) => {
  expect(strptimeFormat(format)).toBe(expected)
})

it.each([
  ["yyyy%MM'100%'dd''", "%Y%%%m100%%%d'"],
  ['yyyy-QQ', undefined],
])('the letters %s are %s', (format, expected) => {
  expect(formatOfLetters(format)).toBe(expected)
})
