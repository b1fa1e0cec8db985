import { internalTopics } from '@assay/contracts'
import type { Message } from '@assay/message-bus'
import { describe, expect, it } from 'vitest'
import { putOfMessage } from './copies.ts'
import { databasePut, defineDatabaseCollection } from './databases.ts'

const collection = defineDatabaseCollection('sales')
const copies = { assemblies: { collections: [collection], putOf: databasePut(collection) } }
const source = { sourceType: 'POSTGRESQL', host: 'db', password: 'sealed.1.x' }
const messageOf = (data: object): Message => ({
  ...{ id: 'e', type: 'assembly', key: '7', tenant: 'default', position: '9', time: '2026-01-01T00:00:00.000Z' },
  data: { revision: 3, assemblyId: 7, autoAnomaly: false, isDeleted: false, ...data },
})

describe('the databases of a service', () => {
  it.each([
    ['a database', { source }, source],
    ['another source', { source: null }, null],
    ['a message of an earlier version', {}, null],
  ])('given %s, when its message arrives, then its configuration is kept with sealed secrets', (_, data, expected) => {
    const put = putOfMessage(copies, internalTopics.assemblies, messageOf(data))
    expect(put).toMatchObject({ id: 7, document: { source: expected }, source: { revision: 3 } })
  })
})
