import { z } from 'zod'
import { isServerUrl } from '../databases/settings.ts'

const isFolder = (text: string): boolean =>
  text
    .replace(/^\/|\/$/g, '')
    .split('/')
    .every((name) => name !== '' && name !== '.' && name !== '..')

/** The settings of an S3-compatible store. `secretAccessKey` is sealed in everything that is stored. */
export const storeSettings = {
  /** The endpoint. Default: Amazon's endpoint in the region. */
  endpoint: z
    .string()
    .max(1000)
    .refine(isServerUrl, 'must be the address of the store without a path, such as https://minio.example.com:9000')
    .optional(),
  region: z
    .string()
    .regex(/^[a-z\d-]{1,64}$/i, 'must be the name of a region, such as eu-central-1')
    .default('us-east-1'),
  bucket: z
    .string()
    .regex(/^(?!.*\.\.)[a-z\d][a-z\d._-]{1,253}[a-z\d]$/i, 'must be the name of a bucket, such as sales'),
  /** The folder of the source. Default: the whole bucket. */
  prefix: z
    .string()
    .max(1000)
    .refine((text) => text === '' || isFolder(text), "must be the path of a folder, such as data/orders, without '..'")
    .optional(),
  accessKeyId: z.string().min(1, 'must not be empty').max(255),
  secretAccessKey: z.string().min(1, 'must not be empty').max(10_000),
  /**
   * Whether the bucket is in the path of requests. Default: with an endpoint it is in the path, otherwise in the host
   * name.
   */
  pathStyle: z.boolean().optional(),
  /** Certificates (PEM) of the authorities that may have signed the store's certificate. Default: well-known ones. */
  tlsCa: z
    .string()
    .max(100_000)
    .regex(/^\s*-----BEGIN CERTIFICATE-----/, 'must be certificates in PEM form')
    .optional(),
}

/** Settings that are secret. */
export const storeSecrets = ['secretAccessKey'] as const
