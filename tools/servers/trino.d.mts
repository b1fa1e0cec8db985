export interface TrinoServer {
  /** The address with its user, such as `http://assay@127.0.0.1:8080`. The catalogs are `memory` and `tpch`. */
  url: string
  port: number
  /** The address with TLS and passwords; only if `secured` was given. */
  securedUrl?: string
  /** The folder of its files; absent for a server that another process started. */
  folder?: string
  /** The process id; undefined for a server that another process started. */
  pid(): number | undefined
  /** Ends the server and removes its data. */
  stop(): Promise<void>
  /** kill -9. */
  kill(): Promise<void>
  /** Restarts a killed server with the same port. The tables of the catalog `memory` are lost. */
  restart(): Promise<void>
  /** SIGSTOP: suspends the process; its connections stay open. */
  pause(): void
  resume(): void
}

/** Why the server cannot be used here; `undefined` if it is installed. */
export function whyNot(cacheDir?: string): Promise<string | undefined>
export function install(cacheDir?: string): Promise<string>
export function start(options?: {
  cacheDir?: string
  secured?: { certificate: string; key: string; users: Readonly<Record<string, string>> }
  properties?: Readonly<Record<string, string | number | boolean>>
  files?: Readonly<Record<string, string>>
}): Promise<TrinoServer>
