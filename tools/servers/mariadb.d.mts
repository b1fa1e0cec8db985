export interface MariadbServer {
  /** The address as a connection string. */
  url: string
  port: number
  /** The process id; undefined for a server that another process started. */
  pid(): number | undefined
  /** Ends the server and removes its data. */
  stop(): Promise<void>
  /** kill -9. */
  kill(): Promise<void>
  /** Restarts a killed server with the same data and port. */
  restart(): Promise<void>
  pause(): void
  resume(): void
}

export function install(cacheDir?: string): Promise<string>
export function start(options?: {
  cacheDir?: string
  port?: number
  files?: Readonly<Record<string, string>>
  settings?: readonly string[]
}): Promise<MariadbServer>
