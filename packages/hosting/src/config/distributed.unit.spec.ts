import { loadConfig } from '@assay/service-kit'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { distributed } from './distributed.ts'
import { artifactVariables, busVariables, processVariables, serviceUrl, storeVariables } from './variables.ts'

const schema = z
  .object({
    ...processVariables,
    ...storeVariables,
    ...busVariables,
    ...artifactVariables,
    ASSAY_CATALOG_URL: serviceUrl.optional(),
  })
  .superRefine(distributed)

const good = {
  ASSAY_IDENTITY_SECRET: 'x'.repeat(32),
  ASSAY_EVENTSTOREDB_URL: 'esdb://events:2113?tls=false',
  ASSAY_MONGODB_URL: 'mongodb://documents:27017/?directConnection=true',
  ASSAY_KAFKA_BROKERS: 'kafka-1:9092, kafka-2:9092',
  ASSAY_RESULTS_DIR: '/results',
}
const load = (env: Record<string, string | undefined>) =>
  loadConfig(schema, Object.keys(schema.shape), { ...good, ...env })

describe('given the environment of a service', () => {
  test('when all required variables are set, then the other variables have their defaults', () => {
    expect(load({})).toMatchObject({
      PORT: 8080,
      ASSAY_EVENT_STORE: 'eventstoredb',
      ASSAY_DOCUMENTS: 'mongodb',
      ASSAY_BUS: 'kafka',
      ASSAY_KAFKA_BROKERS: ['kafka-1:9092', 'kafka-2:9092'],
      ASSAY_KAFKA_PARTITIONS: 12,
      ASSAY_ARTIFACTS: 'filesystem',
    })
  })

  test.each<[string, Record<string, string | undefined>, RegExp]>([
    ['a log of one process', { ASSAY_EVENT_STORE: 'sqlite' }, /^ASSAY_EVENT_STORE must be eventstoredb in a service/],
    ['read models of one process', { ASSAY_DOCUMENTS: 'sqlite' }, /^ASSAY_DOCUMENTS must be mongodb in a service/],
    ['the bus of one process', { ASSAY_BUS: 'embedded' }, /^ASSAY_BUS must be kafka in a service/],
    ['s3 without a bucket', { ASSAY_ARTIFACTS: 's3' }, /^ASSAY_S3_BUCKET is needed/],
    ['half of a pair', { ASSAY_S3_ACCESS_KEY_ID: 'x' }, /^ASSAY_S3_ACCESS_KEY_ID needs ASSAY_S3_SECRET_ACCESS_KEY/],
    ['an object store without a scheme', { ASSAY_S3_ENDPOINT: 'minio:9000' }, /^ASSAY_S3_ENDPOINT must be an address/],
    ['an absolute prefix', { ASSAY_S3_PREFIX: '/x' }, /^ASSAY_S3_PREFIX must be names/],
    ['an unknown adapter', { ASSAY_BUS: 'rabbit' }, /^ASSAY_BUS /],
    ['no address of the log', { ASSAY_EVENTSTOREDB_URL: '' }, /^ASSAY_EVENTSTOREDB_URL is needed/],
    ['no address of the read models', { ASSAY_MONGODB_URL: undefined }, /^ASSAY_MONGODB_URL is needed/],
    ['no brokers', { ASSAY_KAFKA_BROKERS: '' }, /^ASSAY_KAFKA_BROKERS is needed/],
    ['no folder for results', { ASSAY_RESULTS_DIR: '' }, /^ASSAY_RESULTS_DIR is needed/],
    ['a broker without a port', { ASSAY_KAFKA_BROKERS: 'kafka' }, /^ASSAY_KAFKA_BROKERS must be a list/],
    ['an address of another kind', { ASSAY_EVENTSTOREDB_URL: 'http://x' }, /^ASSAY_EVENTSTOREDB_URL must be/],
    ['no partitions', { ASSAY_KAFKA_PARTITIONS: '0' }, /^ASSAY_KAFKA_PARTITIONS must be between/],
    ['a short secret', { ASSAY_IDENTITY_SECRET: 'x'.repeat(31) }, /^ASSAY_IDENTITY_SECRET must be at least 32/],
    ['no secret', { ASSAY_IDENTITY_SECRET: '' }, /^ASSAY_IDENTITY_SECRET /],
    ['half of the credentials', { ASSAY_KAFKA_SASL: 'plain' }, /^ASSAY_KAFKA_SASL needs/],
    ['an address with a path', { ASSAY_CATALOG_URL: 'http://catalog:8080/api' }, /^ASSAY_CATALOG_URL must be/],
    ['a misspelt variable', { ASSAY_KAFKA_BROKER: 'x:1' }, /^ASSAY_KAFKA_BROKER is not known/],
  ])('when it has %s, then the error says so', (_, env, sentence) => {
    expect(() => load(env)).toThrow(sentence)
  })

  test('when results are stored in s3, then a bucket is enough', () => {
    const env = { ASSAY_RESULTS_DIR: undefined, ASSAY_ARTIFACTS: 's3', ASSAY_S3_BUCKET: 'assay' }
    expect(load(env)).toMatchObject({ ASSAY_S3_REGION: 'us-east-1', ASSAY_S3_PATH_STYLE: 'off' })
  })

  test('when several variables are wrong, then all are reported together', () => {
    expect(() => load({ ASSAY_BUS: 'embedded', ASSAY_IDENTITY_SECRET: '', ASSAY_KAFKA_REPLICATION: 'x' })).toThrow(
      /ASSAY_IDENTITY_SECRET[\s\S]*ASSAY_KAFKA_REPLICATION|ASSAY_KAFKA_REPLICATION[\s\S]*ASSAY_IDENTITY_SECRET/,
    )
  })
})
