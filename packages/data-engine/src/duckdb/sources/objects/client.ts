import { lookup as resolve } from 'node:dns'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import { isForbiddenAddress } from '../../../databases/host-access.ts'
import type { StoreTarget } from '../../../stores/target.ts'
import { isTransient, objectFailure, storeFailure } from './failures.ts'
import type { ByteRange, ObjectStore, StoredObject } from './store.ts'

const maxSockets = 16
const connectMs = 3_000
const answerMs = 20_000
/** Number of requests for the rest of an object after its connection was lost. */
const maxRetries = 3

/** Resolves only the store's host, and never to an address that sources may not be read from. */
const lookupOnly =
  (host: string): LookupFunction =>
  (name, options, done) => {
    const refuse = () => done(new Error('This address is never connected to.'), '', 0)
    if (name.toLowerCase() !== host.toLowerCase()) return refuse()
    resolve(name, options, (error, found, family) => {
      if (error !== null) return done(error, found, family)
      const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address)
      return addresses.some(isForbiddenAddress) ? refuse() : done(null, found, family)
    })
  }

/** A client of one bucket, for the duration of a run. */
export async function createObjectStore(
  target: StoreTarget,
  signal: AbortSignal,
): Promise<ObjectStore & { close(): void }> {
  const [{ GetObjectCommand, ListObjectsV2Command, S3Client }, { NodeHttpHandler }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@smithy/node-http-handler'),
  ])
  const { bucket: Bucket, accessKeyId, secretAccessKey, tlsCa } = target
  const agent = { keepAlive: true, maxSockets, lookup: lookupOnly(target.host) }
  const client = new S3Client({
    region: target.region,
    endpoint: target.endpoint,
    forcePathStyle: target.pathStyle,
    credentials: { accessKeyId, secretAccessKey },
    maxAttempts: 2,
    // Other vendors' servers do not support the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: new NodeHttpHandler({
      connectionTimeout: connectMs,
      requestTimeout: answerMs,
      socketTimeout: answerMs,
      throwOnRequestTimeout: true,
      httpAgent: new HttpAgent(agent),
      httpsAgent: new HttpsAgent(tlsCa === undefined ? agent : { ...agent, ca: tlsCa }),
    }),
  })

  async function* part(
    { key, version }: Pick<StoredObject, 'key' | 'version'>,
    { from, to }: ByteRange,
  ): AsyncGenerator<Uint8Array> {
    const Range = `bytes=${from}-${to - 1}`
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: key, Range, IfMatch: version }), {
      abortSignal: signal,
    })
    if (!(Body instanceof Readable)) throw new Error('no body')
    let left = to - from
    for await (const chunk of Body) {
      if (!(chunk instanceof Uint8Array)) throw new Error('no bytes')
      left -= chunk.length
      yield chunk
    }
    if (left !== 0) throw new Error('incomplete')
  }

  return {
    async *list(prefix, most) {
      let ContinuationToken: string | undefined
      do {
        signal.throwIfAborted()
        const token = ContinuationToken === undefined ? {} : { ContinuationToken }
        const page = await client
          .send(
            new ListObjectsV2Command({
              ...{ Bucket, Prefix: prefix, EncodingType: 'url' },
              ...(most === undefined ? {} : { MaxKeys: most }),
              ...token,
            }),
            { abortSignal: signal },
          )
          .catch((error: unknown) => {
            signal.throwIfAborted()
            throw storeFailure(error, target)
          })
        yield (page.Contents ?? []).flatMap(({ Key, Size = 0, LastModified, ETag = '' }) =>
          Key === undefined
            ? []
            : [
                {
                  key: decodeURIComponent(Key.replaceAll('+', ' ')),
                  size: Size,
                  mtimeMs: LastModified?.getTime() ?? 0,
                  version: ETag,
                },
              ],
        )
        ContinuationToken = page.NextContinuationToken
      } while (ContinuationToken !== undefined)
    },
    async *read(object, name, { from, to } = { from: 0, to: object.size }) {
      let at = from
      for (let retries = 0; at < to; retries += 1) {
        try {
          for await (const chunk of part(object, { from: at, to })) {
            at += chunk.length
            yield chunk
          }
        } catch (error) {
          signal.throwIfAborted()
          if (retries >= maxRetries || !isTransient(error)) throw objectFailure(error, target, name)
        }
      }
    },
    close: () => client.destroy(),
  }
}
