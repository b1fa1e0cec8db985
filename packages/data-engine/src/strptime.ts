const letters: Readonly<Record<string, string>> = {
  yyyy: '%Y',
  yy: '%y',
  MMMM: '%B',
  MMM: '%b',
  MM: '%m',
  M: '%m',
  dd: '%d',
  d: '%d',
  HH: '%H',
  H: '%H',
  hh: '%I',
  h: '%I',
  mm: '%M',
  m: '%M',
  ss: '%S',
  s: '%S',
  SSS: '%g',
  SSSSSS: '%f',
  a: '%p',
  EEEE: '%A',
  EEE: '%a',
  XXX: '%z',
  XX: '%z',
  X: '%z',
  Z: '%z',
  z: '%Z',
}
const specifiers = /^(?:[^%]|%-?[aAbBdfgHIjmMpSyYzZ%])*$/

/**
 * A format of dates as the engine reads it: from letters, such as `dd.MM.yyyy`, or `%d.%m.%Y` as it stands. `undefined` where
 * it is neither.
 */
export function strptimeFormat(format: string): string | undefined {
  if (format.includes('%')) return specifiers.test(format) ? format : undefined
  let found = ''
  for (const [part] of format.matchAll(/'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z]/g)) {
    if (part.startsWith("'")) found += part.length === 2 ? "'" : part.slice(1, -1).replaceAll("''", "'")
    else if (/[A-Za-z]/.test(part)) {
      const known = letters[part] ?? (part === 'T' ? 'T' : undefined)
      if (known === undefined) return undefined
      found += known
    } else found += part
  }
  return /%/.test(found) ? found : undefined
}
