export function install(cacheDir?: string): Promise<string>
export function check(options: {
  /** The file with the OpenAPI document. */
  document: string
  baseUrl: string
  admin: { accessKey: string; secretKey: string }
  /** A folder of its own to work in. */
  folder: string
  /** Per operation in the phase of fuzzing. */
  examples?: number
  /** One case of so many in the phase of coverage. */
  share?: number
  /** Chains of calls in each round of the phase stateful. */
  scenarios?: number
  rounds?: number
  phases?: string
  more?: readonly string[]
  cacheDir?: string
}): Promise<{ code: number | null; output: string; chains: number; statuses: Record<string, number> }>
