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

/**
 * Like `jsonBytes`, for values that nobody changes. Remembers the sizes of a value and of its properties, because most
 * states share their properties with the state before.
 */
export function createJsonSizes(): (value: unknown) => number {
  const sizes = new WeakMap<object, number>()

  function remembered(value: unknown, measure: () => number): number {
    if (typeof value !== 'object' || value === null) return jsonBytes(value)
    const bytes = sizes.get(value) ?? measure()
    sizes.set(value, bytes)
    return bytes
  }

  function ofProperties(value: unknown): number {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return jsonBytes(value)
    return Object.entries(value).reduce(
      (bytes, [name, item]) => bytes + name.length + remembered(item, () => jsonBytes(item)) + 4,
      2,
    )
  }

  return (value) => remembered(value, () => ofProperties(value))
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
