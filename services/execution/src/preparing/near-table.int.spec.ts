import { afterEach, beforeEach, expect, it } from 'vitest'
import { tableCopyPut } from '../copies/tables.ts'
import { tableFixture } from '../testing/fixtures.ts'
import { type Harness, openHarness } from '../testing/harness.ts'
import { withNearTable } from './near-table.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
})
afterEach(() => harness.close())

it.each([
  [
    'There is no table "peple.csv" here. (character 22)',
    'There is no table "peple.csv" here; did you mean "people.csv"? (character 22)',
  ],
  ['There is no table "poeple.csv" here.', 'There is no table "poeple.csv" here; did you mean "people.csv"?'],
  [
    'There is no table "rec/cpy.csv" here. (character 22)',
    'There is no table "rec/cpy.csv" here; did you mean "rec/copy.csv"? (character 22)',
  ],
  ['There is no table "rce/copy.csv" here.', 'There is no table "rce/copy.csv" here; did you mean "rec/copy.csv"?'],
  [
    'There is no table "same.csv" here. (character 22)',
    'There are several tables "same.csv"; name one by its path, such as "a/same.csv". (character 22)',
  ],
  ...[
    'There is no table "rec/peple.csv" here.',
    'There is no table "goen.csv" here.',
    'There is no table "other.csvx" here.',
    'There is no column "peple.csv".',
  ].map((same) => [same, same]),
])('given a SELECT in a policy, when the engine says %s, then its author reads %s', async (said, read) => {
  const own = tableFixture()
  const copy = { name: 'copy.csv', path: ['files', 'rec', 'copy.csv'], columns: [] }
  const same = (folder: string) => ({ name: 'same.csv', path: ['files', folder, 'same.csv'], columns: [] })
  const tables = [
    own,
    tableFixture({ assetId: 51, ...copy }),
    tableFixture({ assetId: 61, ...same('a') }),
    tableFixture({ assetId: 71, ...same('b') }),
    tableFixture({ assetId: 21, name: 'people.csv', columns: [] }),
    tableFixture({ assetId: 31, name: 'gone.csv', columns: [], isDeleted: true }),
    tableFixture({ assetId: 41, name: 'other.csv', columns: [], assemblyId: own.assemblyId + 1 }),
  ]
  await harness.deps.documents.put(tables.map((table) => tableCopyPut('default', table, '1')))
  expect(await withNearTable(harness.deps.documents, 'default', own, said ?? '')).toBe(read)
})
