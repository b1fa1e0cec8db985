import { expect, test } from 'vitest'
import { operations } from '../operations/table.ts'
import { linksOf } from './links.ts'

const linked = operations.map((operation): [string, ReturnType<typeof linksOf>] => [
  operation.id,
  linksOf(operation, operations),
])
const linksFrom = (id: string) => Object.fromEntries(linked)[id] ?? {}

test('given an operation that creates a thing, then its answer links to the operations on this thing', () => {
  const policy = { id: '$response.body#/rule/id' }
  expect(linksFrom('createDataQualityRule')).toMatchObject({
    updateDataQualityRule: { operationId: 'updateDataQualityRule', parameters: policy },
    deleteDataQualityRule: { parameters: policy },
    triggerDataQualityExecution: { parameters: policy },
    getRuleConfiguration: { parameters: policy },
  })
  expect(linksFrom('addAssetComment')).toMatchObject({
    deleteAssetComment: { parameters: { id: '$request.path.id', commentId: '$response.body#/id' } },
  })
  expect(linksFrom('triggerDataQualityExecutionByName')).toMatchObject({
    cancelExecution: { parameters: { id: '$response.body#/execution/id' } },
  })
})

test('given any link, then it names an operation of the table and fills its whole path', () => {
  const links = linked.flatMap(([, found]) => Object.values(found))
  expect(links.length).toBeGreaterThan(200)
  for (const { operationId, parameters } of links) {
    const target = operations.find(({ id }) => id === operationId)
    const names = [...(target?.path ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect([operationId, Object.keys(parameters).toSorted()]).toEqual([operationId, names.toSorted()])
  }
})

test('given an operation that creates nothing, then it has no links', () => {
  for (const { id } of operations.filter(({ method }) => method !== 'POST'))
    expect([id, linksFrom(id)]).toEqual([id, {}])
})
