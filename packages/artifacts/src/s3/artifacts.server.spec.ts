import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { isAssayError } from '@assay/service-kit/errors'
import { systemClock } from '@assay/service-kit/node'
import { CreateBucketCommand, DeleteBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type MinioServer, start, whyNot } from '../../../../tools/servers/minio.mjs'
import { artifactsFeatures } from '../testing/index.ts'
import { createS3Artifacts, type S3Options } from './index.ts'

/** A borrowed server is neither killed nor paused. */
const isBorrowed = process.env.ASSAY_TEST_S3 !== undefined
const reason = await whyNot()
if (reason !== undefined) process.stderr.write(`The suite of artifacts in S3 does not run. ${reason}\n`)

describe.skipIf(reason !== undefined)('given a real object store', () => {
  let server: MinioServer
  const optionsOf = ({ bucket, region, accessKey: accessKeyId, secretKey: secretAccessKey, url }: MinioServer) => ({
    s3: { endpoint: url, bucket, region, pathStyle: true, credentials: { accessKeyId, secretAccessKey } },
    prefix: randomUUID(),
  })
  beforeAll(async () => {
    server = await start()
  }, 900_000)
  afterAll(() => server.stop())

  artifactsFeatures('an object store', async () => {
    const stagingRoot = await mkdtemp(join(tmpdir(), 'artifacts-s3-'))
    const options = { ...optionsOf(server), stagingRoot }
    const open = () => createS3Artifacts({ ...options, newId: randomUUID, clock: systemClock })
    return {
      artifacts: await open(),
      reopen: open,
      async writeAndDie() {
        const writer = spawn(
          process.execPath,
          [join(import.meta.dirname, 'killed-writer.fixture.ts'), JSON.stringify(options)],
          { stdio: ['ignore', 'pipe', 'inherit'] },
        )
        const [stage] = await once(createInterface(writer.stdout), 'line')
        writer.kill('SIGKILL')
        await once(writer, 'exit')
        return String(stage)
      },
      async loseStore() {
        const { bucket: _, ...s3 } = options.s3
        const Bucket = `gone-${randomUUID()}`
        const { url: endpoint } = server
        const client = new S3Client({ region: s3.region, endpoint, forcePathStyle: true, credentials: s3.credentials })
        await client.send(new CreateBucketCommand({ Bucket }))
        const s3Gone = { ...s3, bucket: Bucket }
        const lost = await createS3Artifacts({ ...options, s3: s3Gone, newId: randomUUID, clock: systemClock })
        await lost.check()
        await client.send(new DeleteBucketCommand({ Bucket }))
        client.destroy()
        return lost
      },
      end: () => rm(stagingRoot, { recursive: true }),
    }
  })

  describe('in addition to the port', () => {
    let stagingRoot: string
    beforeEach(async () => {
      stagingRoot = await mkdtemp(join(tmpdir(), 'artifacts-s3-'))
    })
    afterEach(() => rm(stagingRoot, { recursive: true }))
    const open = (s3: Partial<S3Options> = {}) => {
      const options = optionsOf(server)
      return createS3Artifacts({
        prefix: options.prefix,
        s3: { ...options.s3, ...s3 },
        stagingRoot,
        newId: randomUUID,
        clock: systemClock,
      })
    }
    const unavailable = (sentence: RegExp) =>
      expect.toSatisfy((error: unknown) => isAssayError(error, 'unavailable') && sentence.test(error.message))

    it('given wrong credentials or a wrong bucket, when opened, then the error says so, without secrets', async () => {
      const accessKeyId = 'nobody-knows-me'
      const wrongKey = { credentials: { accessKeyId, secretAccessKey: 'x'.repeat(20) } }
      await expect(open(wrongKey)).rejects.toEqual(unavailable(/does not know the access key/))
      await expect(open({ bucket: 'not-there' })).rejects.toEqual(
        unavailable(/^The bucket of the results does not exist/),
      )
      const error = await open(wrongKey).catch((each: unknown) => each)
      expect(JSON.stringify(error)).not.toContain(accessKeyId)
    })

    it('given a file of several parts, when committed, then the same bytes are read', async () => {
      const artifacts = await open()
      const stage = await artifacts.stage('t')
      const content = randomBytes(40 * 1024 * 1024)
      await writeFile(join(stage.folder, 'rows.parquet'), content)
      await stage.commit('t/big')
      const file = await artifacts.open('t/big/rows.parquet')
      expect(file?.sizeBytes).toBe(content.length)
      expect(file && (await buffer(file.stream)).equals(content)).toBe(true)
      await artifacts.close()
    })

    it.skipIf(isBorrowed)(
      'given a killed server, when used, then the error is unavailable; after its restart, artifacts can be read and committed',
      async () => {
        const artifacts = await open({ maxAttempts: 1 })
        const [first, second] = [await artifacts.stage('t'), await artifacts.stage('t')]
        await writeFile(join(first.folder, 'x.txt'), 'x')
        await writeFile(join(second.folder, 'y.txt'), 'y')
        await first.commit('t/a')
        await server.kill()
        const away = unavailable(/^The object store of the results does not answer/)
        await expect(second.commit('t/b')).rejects.toEqual(away)
        await expect(artifacts.readText('t/a/x.txt')).rejects.toEqual(away)
        await expect(artifacts.list('t')).rejects.toEqual(away)
        await expect(artifacts.check()).rejects.toEqual(away)
        await server.restart()
        await artifacts.check()
        expect(await artifacts.readText('t/a/x.txt')).toBe('x')
        await second.commit('t/b')
        expect((await artifacts.list('t')).map(({ key }) => key)).toEqual(['t/a/x.txt', 't/b/y.txt'])
        await artifacts.close()
      },
    )

    it.skipIf(isBorrowed)(
      'given a server that hangs, when used, then the error is unavailable within the time limit',
      async () => {
        const artifacts = await open({ maxAttempts: 1, requestTimeoutMs: 500 })
        server.pause()
        try {
          await expect(artifacts.list('t')).rejects.toEqual(unavailable(/does not answer/))
        } finally {
          server.resume()
        }
        expect(await artifacts.list('t')).toEqual([])
        await artifacts.close()
      },
    )
  })
})
