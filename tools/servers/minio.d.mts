export interface MinioServer {
  /** The address, such as `http://127.0.0.1:9000`; buckets are part of the path. */
  url: string
  port: number
  region: string
  /** A bucket that exists from the start. */
  bucket: string
  accessKey: string
  secretKey: string
  /** Ends the server and removes its data. */
  stop(): Promise<void>
  /** kill -9. */
  kill(): Promise<void>
  /** Restarts a killed server with the same data and port. */
  restart(): Promise<void>
  /** SIGSTOP: suspends the process; its connections stay open. */
  pause(): void
  resume(): void
}

/** Why the server is not installed and cannot be built here; `undefined` if it can be used. */
export function whyNot(cacheDir?: string): Promise<string | undefined>
export function install(cacheDir?: string): Promise<string>
export function start(options?: { cacheDir?: string; port?: number }): Promise<MinioServer>
