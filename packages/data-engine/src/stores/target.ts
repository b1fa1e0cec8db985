import type { StoreSource } from '../dataset.ts'

type Settings = Pick<StoreSource, 'bucket' | 'region' | 'accessKeyId' | 'secretAccessKey' | 'tlsCa'>

/** A store to connect to, with its key in clear. Only the process that reads objects gets it. */
export interface StoreTarget extends Settings {
  /** The assembly to which this configuration belongs. Absent for a source that is not stored yet. */
  source?: number | undefined
  /** Address without the bucket. */
  endpoint: string
  pathStyle: boolean
  /** The host of all requests. */
  host: string
  /** The folder of the source, without slashes at its ends; empty for the whole bucket. */
  prefix: string
}

/** The address of the root of a source, which no file can have. */
export function storeRoot({ bucket, prefix }: Pick<StoreTarget, 'bucket' | 'prefix'>): string {
  return `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`
}

/** How to connect to a store. `secretAccessKey`: in clear. Pure. */
export function storeTarget(of: StoreSource, source: number | undefined, secretAccessKey: string): StoreTarget {
  const { endpoint = `https://s3.${of.region}.amazonaws.com`, bucket, region, accessKeyId, tlsCa } = of
  // A certificate of *.s3.amazonaws.com does not cover a bucket with dots.
  const pathStyle = of.pathStyle ?? (of.endpoint !== undefined || bucket.includes('.'))
  const { hostname } = new URL(endpoint)
  return {
    ...{ source, endpoint, bucket, region, accessKeyId, secretAccessKey, pathStyle },
    ...(tlsCa === undefined ? {} : { tlsCa }),
    host: (pathStyle ? hostname : `${bucket}.${hostname}`).replace(/^\[|\]$/g, ''),
    prefix: (of.prefix ?? '').replace(/^\/|\/$/g, ''),
  }
}
