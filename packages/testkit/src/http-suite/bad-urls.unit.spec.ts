import { operations } from '@assay/contracts'
import { expect, test } from 'vitest'
import { badSegments, isNumber, paramsWith, queriesOf } from './bad-urls.ts'

/** The segment as the router decodes it; `undefined` if the router refuses it. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

test('given each wrong id, when a numeric parameter of a path is parsed, then it is refused', () => {
  const numbers = operations.flatMap((operation) =>
    Object.keys(paramsWith(operation, -1, '')).flatMap((_, index) =>
      isNumber(operation, index) ? [{ operation, index }] : [],
    ),
  )
  expect(numbers.length).toBeGreaterThan(50)
  const accepted = numbers.flatMap(({ operation, index }) =>
    badSegments.flatMap((segment) => {
      const value = decoded(segment)
      if (value === undefined) return []
      const { success } = operation.params.safeParse(paramsWith(operation, index, value))
      return success ? [`${operation.id}: ${segment}`] : []
    }),
  )
  expect(accepted).toEqual([])
})

test('given each wrong parameter of a query, when it is parsed, then it is accepted, or refused with a sentence', () => {
  const silent = operations.flatMap((operation) =>
    queriesOf(operation).flatMap((query) => {
      const { error } = operation.query.safeParse(Object.fromEntries(new URLSearchParams(query)))
      return error === undefined || /\w/.test(error.issues[0]?.message ?? '') ? [] : [`${operation.id}: ${query}`]
    }),
  )
  expect(silent).toEqual([])
})
