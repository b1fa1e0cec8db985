export interface PostgresServer {
  /** The address as a connection string. */
  url: string
  port: number
  /** Of the process; undefined for a server of somebody else. */
  pid(): number | undefined
  /** Ends the server and removes its data. */
  stop(): Promise<void>
  /** kill -9. */
  kill(): Promise<void>
  /** Starts a killed server again over its data, on the same port. */
  restart(): Promise<void>
  pause(): void
  resume(): void
}

export function install(cacheDir?: string): Promise<string>
export function start(options?: { cacheDir?: string; port?: number }): Promise<PostgresServer>
