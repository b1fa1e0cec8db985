/** Approximate size of `value` as JSON, without creating the text. */
export function jsonBytes(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 8
  let bytes = 2
  if (Array.isArray(value)) {
    for (const item of value) bytes += jsonBytes(item) + 1
    return bytes
  }
  for (const [name, item] of Object.entries(value)) bytes += name.length + jsonBytes(item) + 4
  return bytes
}

/** Whether `value` survives JSON unchanged: without undefined properties, NaN, infinities and -0. */
function isAsRead(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0)
  if (typeof value !== 'object' || value === null) return value !== undefined
  return Array.isArray(value) ? value.every(isAsRead) : Object.values(value).every(isAsRead)
}

/** `value` after writing it as JSON and reading it back. */
export function asRead<T>(value: T): T {
  return isAsRead(value) ? value : JSON.parse(JSON.stringify(value))
}
