import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { AssayError } from '@assay/service-kit/errors'
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { isAbsent, isRefusedByCondition } from './errors.ts'

export interface S3Options {
  bucket: string
  region: string
  /** Endpoint of a server that is not Amazon's, such as `http://minio:9000`. */
  endpoint?: string | undefined
  /** Whether the bucket is part of the path instead of the host name. */
  pathStyle?: boolean | undefined
  /** Default: credentials from the environment of the process (a role, a profile). */
  credentials?: { accessKeyId: string; secretAccessKey: string } | undefined
  /** Timeout for one request or one part of an upload. Default 60,000. */
  requestTimeoutMs?: number | undefined
  connectTimeoutMs?: number | undefined
  /** Maximum number of attempts per request. Default 3. */
  maxAttempts?: number | undefined
}

/** A text with its ETag. */
export interface Text {
  text: string
  etag: string
}

/** The operations on a bucket that are needed. Errors are those of the driver; callers translate them. */
export interface Bucket {
  /** Rejects with the driver's error if the bucket is missing or not accessible. */
  check(): Promise<void>
  putFile(key: string, path: string, sizeBytes: number): Promise<void>
  putText(key: string, text: string): Promise<void>
  /** Returns false and changes nothing if the object exists. */
  putNewText(key: string, text: string): Promise<boolean>
  /** Returns false and changes nothing if the object is gone or has another `etag`. */
  replaceText(key: string, text: string, etag: string): Promise<boolean>
  getText(key: string): Promise<Text | undefined>
  open(key: string): Promise<Readable | undefined>
  list(prefix: string): Promise<{ key: string; changedAt: number }[]>
  remove(keys: readonly string[]): Promise<void>
}

const partBytes = 16 * 1024 * 1024
const maxParts = 10_000
const removedAtOnce = 1000

export function createBucket(options: S3Options): Bucket & { close(): void } {
  const { bucket: Bucket, credentials } = options
  const client = new S3Client({
    region: options.region,
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    forcePathStyle: options.pathStyle ?? false,
    ...(credentials === undefined ? {} : { credentials }),
    maxAttempts: options.maxAttempts ?? 3,
    // Other vendors' servers do not support the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: new NodeHttpHandler({
      connectionTimeout: options.connectTimeoutMs ?? 5_000,
      requestTimeout: options.requestTimeoutMs ?? 60_000,
      throwOnRequestTimeout: true,
    }),
  })

  async function put(key: string, text: string, condition: { IfNoneMatch?: string; IfMatch?: string }) {
    const Body = Buffer.from(text)
    await client.send(new PutObjectCommand({ Bucket, Key: key, Body, ContentType: 'application/json', ...condition }))
  }

  async function putOn(key: string, text: string, condition: { IfNoneMatch?: string; IfMatch?: string }) {
    try {
      await put(key, text, condition)
      return true
    } catch (error) {
      if (isRefusedByCondition(error) || (condition.IfMatch !== undefined && isAbsent(error))) return false
      throw error
    }
  }

  async function get(key: string) {
    try {
      return await client.send(new GetObjectCommand({ Bucket, Key: key }))
    } catch (error) {
      if (isAbsent(error)) return undefined
      throw error
    }
  }

  return {
    async check() {
      // A listing instead of HEAD, because the answer to HEAD has no body that would explain the error.
      await client.send(new ListObjectsV2Command({ Bucket, MaxKeys: 1 }))
    },
    async putFile(key, path, sizeBytes) {
      const upload = new Upload({
        client,
        params: { Bucket, Key: key, Body: createReadStream(path) },
        partSize: Math.max(partBytes, Math.ceil(sizeBytes / maxParts)),
        queueSize: 2,
      })
      await upload.done()
    },
    putText: (key, text) => put(key, text, {}),
    putNewText: (key, text) => putOn(key, text, { IfNoneMatch: '*' }),
    replaceText: (key, text, etag) => putOn(key, text, { IfMatch: etag }),
    async getText(key) {
      const answer = await get(key)
      if (answer?.Body === undefined) return undefined
      return { text: await answer.Body.transformToString('utf8'), etag: answer.ETag ?? '' }
    },
    async open(key) {
      const body = (await get(key))?.Body
      if (body === undefined) return undefined
      if (!(body instanceof Readable)) throw new AssayError('internal', 'The object store returned no stream.')
      return body
    },
    async list(prefix) {
      const found: { key: string; changedAt: number }[] = []
      let ContinuationToken: string | undefined
      do {
        const token = ContinuationToken === undefined ? {} : { ContinuationToken }
        const page = await client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix, ...token }))
        for (const { Key, LastModified } of page.Contents ?? [])
          if (Key !== undefined) found.push({ key: Key, changedAt: LastModified?.getTime() ?? 0 })
        ContinuationToken = page.NextContinuationToken
      } while (ContinuationToken !== undefined)
      return found
    },
    async remove(keys) {
      const [first] = keys
      if (keys.length === 1) await client.send(new DeleteObjectCommand({ Bucket, Key: first }))
      if (keys.length <= 1) return
      for (let start = 0; start < keys.length; start += removedAtOnce) {
        const Objects = keys.slice(start, start + removedAtOnce).map((Key) => ({ Key }))
        const { Errors = [] } = await client.send(
          new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }),
        )
        if (Errors.length > 0)
          throw new AssayError('unavailable', 'Some objects of the results could not be removed. Try again.', {
            details: Errors.map(({ Code }) => Code),
          })
      }
    },
    close: () => client.destroy(),
  }
}
