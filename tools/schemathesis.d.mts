export function install(cacheDir?: string): Promise<string>
export function check(options: {
  /** The file with the OpenAPI document. */
  document: string
  baseUrl: string
  admin: { accessKey: string; secretKey: string }
  /** A folder of its own to work in. */
  folder: string
  /** Per operation and phase. */
  examples?: number
  phases?: string
  more?: readonly string[]
  cacheDir?: string
}): Promise<{ code: number | null; output: string }>
