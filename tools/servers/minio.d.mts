export interface MinioServer {
  /** The address, such as `http://127.0.0.1:9000`; buckets are asked for by path. */
  url: string
  port: number
  region: string
  /** A bucket that is there from the start. */
  bucket: string
  accessKey: string
  secretKey: string
  /** Ends the server and removes its data. */
  stop(): Promise<void>
  /** kill -9. */
  kill(): Promise<void>
  /** Starts a killed server again over its data, on the same port. */
  restart(): Promise<void>
  /** Stops the process where it stands, without closing its connections. */
  pause(): void
  resume(): void
}

/** A sentence when the server is not installed and cannot be built here. */
export function whyNot(cacheDir?: string): Promise<string | undefined>
export function install(cacheDir?: string): Promise<string>
export function start(options?: { cacheDir?: string; port?: number }): Promise<MinioServer>
