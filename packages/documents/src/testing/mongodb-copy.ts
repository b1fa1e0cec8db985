import { MongoClient } from 'mongodb'

/**
 * A copy like that of `mongodump`: the documents of each database, by collection. Indexes are not copied, because the
 * next start creates them.
 */
export type MongoCopy = ReadonlyMap<string, ReadonlyMap<string, readonly object[]>>

const perInsert = 1000

async function connected<T>(uri: string, work: (client: MongoClient) => Promise<T>): Promise<T> {
  // Number types must survive the copy.
  const client = new MongoClient(uri, { promoteValues: false, promoteLongs: false, retryWrites: false })
  try {
    return await work(await client.connect())
  } finally {
    await client.close()
  }
}

/** Copies the databases `names` of the server at `uri`, one collection after the other, while others write. */
export function copyMongoDatabases(uri: string, names: readonly string[]): Promise<MongoCopy> {
  return connected(uri, async (client) => {
    const copy = new Map<string, Map<string, object[]>>()
    for (const name of names) {
      const collections = new Map<string, object[]>()
      for (const collection of await client.db(name).collections())
        collections.set(collection.collectionName, await collection.find({}).toArray())
      copy.set(name, collections)
    }
    return copy
  })
}

/** Restores a copy to a server that has none of its databases. */
export function restoreMongoDatabases(uri: string, copy: MongoCopy): Promise<void> {
  return connected(uri, async (client) => {
    for (const [name, collections] of copy)
      for (const [collection, documents] of collections)
        for (let from = 0; from < documents.length; from += perInsert)
          await client
            .db(name)
            .collection(collection)
            .insertMany(documents.slice(from, from + perInsert))
  })
}

/** Drops the databases `names`. */
export function dropMongoDatabases(uri: string, names: readonly string[]): Promise<void> {
  return connected(uri, async (client) => {
    for (const name of names) await client.db(name).dropDatabase()
  })
}
