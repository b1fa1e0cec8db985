import { expect, it } from 'vitest'
import { entries } from '../testing/collections.ts'
import { followNames } from './followed-names.ts'
import { allowedGroups } from './group-rows.ts'
import type { All, Row } from './search-request.ts'
import { tableOf } from './table.ts'

const { search } = tableOf(entries)
if (search === undefined) throw new Error('Entries are searched.')

it('given very many groups, when more are added, then all are loaded', () => {
  let last = 300_000
  let change = 1
  const all: All = (sql, after) => {
    if (sql.includes('_group')) {
      const from = Number(after)
      return Array.from({ length: last - from }, (_, at): Row => [from + at + 1, 0, 1])
    }
    return sql.includes('(seq)') ? [[change]] : []
  }
  const names = followNames({ search, tenant: 't', all, mostNames: 10 })
  while (!names.load());
  change = 2
  last += 1
  const kept = names.now()
  expect(kept?.groups.size).toBe(300_001)
  const request = { search, tenant: 't', ofGroups: undefined }
  expect(kept && allowedGroups(kept, request, all).reduce((sum, each) => sum + each, 0)).toBe(300_001)
})
