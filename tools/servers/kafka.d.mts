export interface KafkaServer {
  /** Addresses, joined by commas. */
  url: string
  brokers: string[]
  /** Addresses of the listeners of a broker that was started with `secured`. */
  secured?: { tls: string; tlsAndUsers: string; users: string }
  /** The process id of a broker, by default the first; undefined for a cluster that another process started. */
  pid(index?: number): number | undefined
  /** Ends all brokers and removes their data. */
  stop(): Promise<void>
  /** kill -9 of one broker, or of all. */
  kill(index?: number): Promise<void>
  /** Restarts killed brokers with the same data. */
  restart(index?: number): Promise<void>
  /** SIGSTOP: suspends a broker's process; its connections stay open. */
  pause(index?: number): void
  resume(index?: number): void
}

export function install(cacheDir?: string): Promise<string>
export function start(options?: {
  brokers?: 1 | 3
  cacheDir?: string
  properties?: Record<string, string | number | boolean>
  advertisedPorts?: readonly number[]
  ports?: readonly number[]
  secured?: { certificate: string; key: string; users: readonly { name: string; password: string }[] }
  stopWaitMs?: number
}): Promise<KafkaServer>
