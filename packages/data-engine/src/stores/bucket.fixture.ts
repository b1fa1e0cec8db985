import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { connect as connectTo, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { CreateBucketCommand, DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import type { MinioServer } from '../../../../tools/servers/minio.mjs'
import { isStoreSource, type StoreSource, source } from '../dataset.ts'
import { createStoreReach, type StoreReach } from './reach.ts'

/** A bucket of a real store, for a test. */
export interface TestBucket {
  source(of?: { [setting: string]: unknown }): StoreSource
  put(key: string, content: string | Uint8Array): Promise<void>
  /** Uploads a file. Returns its size. */
  putFile(key: string, file: string): Promise<number>
  remove(key: string): Promise<void>
  close(): void
}

/** Makes a bucket. */
export async function openBucket({ url, region, accessKey, secretKey }: MinioServer): Promise<TestBucket> {
  const credentials = { accessKeyId: accessKey, secretAccessKey: secretKey }
  const client = new S3Client({ region, endpoint: url, forcePathStyle: true, credentials })
  const Bucket = `data-${randomUUID()}`
  await client.send(new CreateBucketCommand({ Bucket }))
  const put = async (Key: string, Body: string | Uint8Array) => {
    await client.send(new PutObjectCommand({ Bucket, Key, Body }))
  }
  return {
    source(of = {}) {
      const parsed = source.parse({ sourceType: 'AWS_S3', endpoint: url, bucket: Bucket, ...credentials, ...of })
      if (!isStoreSource(parsed)) throw new Error('This is no store.')
      return parsed
    },
    put,
    async putFile(key, file) {
      const content = await readFile(file)
      await put(key, content)
      return content.length
    },
    remove: async (Key) => {
      await client.send(new DeleteObjectCommand({ Bucket, Key }))
    },
    close: () => client.destroy(),
  }
}

/** Finds the store of a source, and that of an assembly by its id. Nothing is sealed. */
export function reachStore(assemblies: ReadonlyMap<number, StoreSource>): StoreReach {
  return createStoreReach({
    sourceOf: async (_, id) => assemblies.get(id),
    unseal: (secret) => secret,
    hostsOf: () => null,
    lookup: async (host) => [{ address: host }],
  })
}

/** A relay in front of a server. */
export interface Relay {
  url: string
  /** How many bytes the server has answered. */
  bytes(): number
  /** Forwards nothing to the server until the promise settles. */
  hold(until: Promise<unknown>): void
  close(): Promise<void>
}

export async function startRelay(port: number): Promise<Relay> {
  let bytes = 0
  let held: Promise<unknown> = Promise.resolve()
  const sockets = new Set<Socket>()
  const relay = createServer((client) => {
    const server = connectTo(port, '127.0.0.1')
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    }
    server.on('data', (chunk) => {
      bytes += chunk.length
    })
    const gate = new Transform({
      transform: (chunk, _, forward) => void held.finally(() => forward(null, chunk)).catch(() => undefined),
    })
    client.pipe(gate).pipe(server).pipe(client)
  })
  await new Promise<void>((listening) => relay.listen(0, '127.0.0.1', listening))
  const address = relay.address()
  if (address === null || typeof address === 'string') throw new Error('The relay has no port.')
  return {
    url: `http://127.0.0.1:${address.port}`,
    bytes: () => bytes,
    hold: (until) => {
      held = until
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => relay.close(closed))
    },
  }
}
