export interface MongoServer {
  /** The address as a connection string. */
  url: string
  port: number
  /** Of the process; undefined for a server of somebody else. */
  pid(): number | undefined
  /** Ends the server and removes its data. */
  stop(): Promise<void>
  /** kill -9. */
  kill(): Promise<void>
  /** Starts a killed server again over its data, on the same port, with other arguments where some are given. */
  restart(others?: readonly string[]): Promise<void>
  /** Stops the process where it stands, without closing its connections. */
  pause(): void
  resume(): void
}

export function install(cacheDir?: string): Promise<string>
export function start(options?: {
  cacheDir?: string
  port?: number
  arguments?: readonly string[]
}): Promise<MongoServer>
