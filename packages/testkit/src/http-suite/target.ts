/** A key pair. */
export interface Pair {
  accessKey: string
  secretKey: string
}

/** A running Assay, as suites see it. */
export interface Target {
  /** Without a trailing slash. */
  baseUrl: string
  /** An administrator of the tenant `default`. */
  admin: Pair
  /** A folder that this process can write to and that Assay can read at the same path. */
  sharedFolder: string
}
