import { operations } from '@assay/contracts'
import { describe, expect, test } from 'vitest'
import { createMatching } from './matching.ts'

const match = createMatching(operations)
const ids = (path: string) => match(path).map(({ operation }) => operation.id)

describe('given the table of operations', () => {
  test('when a path is built from each template, then its operation is the first match with that method', () => {
    for (const { id, method, path } of operations) {
      const made = path.replace(/\{[^}]+\}/g, 'some%2Fthing')
      const found = match(made).find(({ operation }) => operation.method === method)
      expect(found?.operation.id, path).toBe(id)
      const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name)
      expect(found?.params()).toEqual(Object.fromEntries(names.map((name) => [name, 'some/thing'])))
    }
  })
  test('when a path matches a literal and a parameter, then the literal comes first', () => {
    const [first, second] = match('/catalog-server/api/rules/executions')
    expect(first?.operation.path ?? second?.operation.path ?? '').not.toContain('{')
    expect(ids('/catalog-server/api/assets/7')).toContain('getAsset')
    expect(ids('/catalog-server/api/assets/7/')).toContain('getAsset')
  })
  test('when nothing matches, then the result is empty', () => {
    for (const path of [
      '/',
      '',
      '//',
      '/x',
      '/catalog-server/api/Assets/7',
      '/catalog-server/api/assets//',
      '/a'.repeat(99),
    ])
      expect(ids(path)).toEqual([])
  })
  test('when a parameter is invalid, then reading it throws', () => {
    expect(() => match('/catalog-server/api/assets/%E0%A4')[0]?.params()).toThrow(URIError)
  })
})

test('given paths with parameters, when several match, then paths with literal segments come first', () => {
  const [some] = operations
  if (some === undefined) throw new Error('The table of operations is empty.')
  const of = (path: string) => ({ ...some, path, id: path })
  const paths = ['/{any}', '/rules/{id}', '/rules/executions', '/{any}/executions', '/rules/byName/{name}']
  const fitting = createMatching(paths.map(of))
  const fits = (path: string) => fitting(path).map(({ operation }) => operation.id)
  expect(fits('/rules/executions')).toEqual(['/rules/executions', '/rules/{id}', '/{any}/executions'])
  expect(fits('/rules/byName/executions')).toEqual(['/rules/byName/{name}'])
  expect(fits('/rules')).toEqual(['/{any}'])
})
