import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { type Database, numberIn } from '@assay/sqlite'
import type { Table } from './table.ts'

/**
 * Snapshot tokens contain a table's highest rowid. Rows are never deleted, so this is the number of documents ever
 * added.
 */
export interface SnapshotTokens {
  now(table: Table): string
  /** The highest rowid to include; `undefined` if the text is not a token of this table and process. */
  upTo(table: Table, token: string | undefined): number | undefined
}

const magic = 0x4153
const randomLength = 4

/**
 * A token is one AES block with random bytes, encrypted with a key of this process. Rowids count the documents of all
 * tenants. A tenant must learn nothing about other tenants, not even that their number of documents has changed.
 */
export function createSnapshotTokens(
  database: Database,
  tables: { generation(collection: string): number },
): SnapshotTokens {
  const key = randomBytes(16)
  const numbers = new Map<string, number>()
  const collectionOf = ({ name }: Table): string => name.slice('doc_'.length)

  function numberOf(table: Table): number {
    const number = numbers.get(table.name) ?? numbers.size
    numbers.set(table.name, number)
    return number
  }

  return {
    now(table) {
      const row = database.prepare(`SELECT coalesce(max(rowid), 0) AS last FROM ${table.name}`).get()
      const block = Buffer.alloc(16)
      block.writeUInt16BE(magic, 0)
      block.writeUInt16BE(numberOf(table), 2)
      block.writeUInt16BE(tables.generation(collectionOf(table)) & 0xffff, 4)
      block.writeUIntBE(row === undefined ? 0 : numberIn(row, 'last'), 6, 6)
      randomBytes(randomLength).copy(block, 12)
      return createCipheriv('aes-128-ecb', key, null).setAutoPadding(false).update(block).toString('base64url')
    },
    upTo(table, token) {
      if (token === undefined) return undefined
      const bytes = Buffer.from(token, 'base64url')
      if (bytes.length !== 16) return undefined
      const block = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false).update(bytes)
      const isOurs =
        block.readUInt16BE(0) === magic &&
        block.readUInt16BE(2) === numberOf(table) &&
        block.readUInt16BE(4) === (tables.generation(collectionOf(table)) & 0xffff)
      return isOurs ? block.readUIntBE(6, 6) : undefined
    },
  }
}
