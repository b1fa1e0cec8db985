export function install(cacheDir?: string): Promise<string>
export function check(options: {
  /** The file with the OpenAPI document. */
  document: string
  baseUrl: string
  admin: { accessKey: string; secretKey: string }
  /** An empty working folder. */
  folder: string
  /** Cases per operation in the fuzzing phase. */
  examples?: number
  /** The coverage phase sends one of `share` cases. */
  share?: number
  /** Chains of calls in each round of the stateful phase. */
  scenarios?: number
  rounds?: number
  phases?: string
  /** A regular expression of paths that only the stateful phase calls. */
  except?: string
  more?: readonly string[]
  cacheDir?: string
}): Promise<{ code: number | null; output: string; chains: number; statuses: Record<string, number> }>
