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
  T: 'T',
}
const specifiers = /^(?:[^%]|%-?[aAbBdfgHIjmMpSyYzZ%])*$/

/**
 * A date format in the engine's notation. Converts letters, such as `dd.MM.yyyy`, and returns `%d.%m.%Y` unchanged.
 * `undefined` if the format is neither.
 */
export function strptimeFormat(format: string): string | undefined {
  if (format.includes('%')) return specifiers.test(format) ? format : undefined
  const found = formatOfLetters(format)
  return found !== undefined && /%/.test(found) ? found : undefined
}

/** Splits a format into quoted text, runs of one letter (`yyyyMMdd` has three parts) and other characters. */
const parts = /'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z]/g

/**
 * Converts a format of letters, such as `dd.MM.yyyy`, to the engine's notation; a `%` in it is a literal. `undefined`
 * for unknown letters.
 */
export function formatOfLetters(format: string): string | undefined {
  let found = ''
  for (const [part] of format.matchAll(parts)) {
    const known = /^[A-Za-z]/.test(part) ? letters[part] : signs(part)
    if (known === undefined) return undefined
    found += known
  }
  return found
}

function signs(part: string): string {
  const text = part.length > 1 && part !== "''" ? part.slice(1, -1).replaceAll("''", "'") : part.slice(0, 1)
  return text.replaceAll('%', '%%')
}
