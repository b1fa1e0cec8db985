/** Ranges of code points; both ends are inclusive. */
export type Ranges = readonly (readonly [number, number])[]

const last = 0x10ffff
const digits = [0x30, 0x39] as const
const upper = [0x41, 0x5a] as const
const lower = [0x61, 0x7a] as const

/** RE2's classes of ASCII characters, in order of their code points. */
const named: Readonly<Record<string, Ranges>> = {
  d: [digits],
  s: [
    [9, 10],
    [12, 13],
    [32, 32],
  ],
  w: [digits, upper, [0x5f, 0x5f], lower],
  alnum: [digits, upper, lower],
  alpha: [upper, lower],
  ascii: [[0, 127]],
  blank: [
    [9, 9],
    [32, 32],
  ],
  cntrl: [
    [0, 31],
    [127, 127],
  ],
  digit: [digits],
  graph: [[33, 126]],
  lower: [lower],
  print: [[32, 126]],
  punct: [
    [33, 47],
    [58, 64],
    [91, 96],
    [123, 126],
  ],
  space: [
    [9, 13],
    [32, 32],
  ],
  upper: [upper],
  word: [digits, upper, [0x5f, 0x5f], lower],
  xdigit: [digits, [0x41, 0x46], [0x61, 0x66]],
}

/** All other code points. `ranges` are in order. */
export function complement(ranges: Ranges): Ranges {
  const others: [number, number][] = []
  let next = 0
  for (const [from, to] of ranges) {
    if (from > next) others.push([next, from - 1])
    next = to + 1
  }
  return next <= last ? [...others, [next, last]] : others
}

/** The characters of `\d`, `\D` and so on, or of `[:alpha:]`; empty if there is no such class. */
export function namedClass(name: string): Ranges {
  if (/^[DSW]$/.test(name)) return complement(named[name.toLowerCase()] ?? [])
  return Object.hasOwn(named, name) ? (named[name] ?? []) : []
}

/** A class as text. Every character is written by its number, so that none has a special meaning. */
export function classText(ranges: Ranges, properties: readonly string[], isNegated: boolean): string {
  const code = (one: number) => `\\x{${one.toString(16)}}`
  const parts = ranges.map(([from, to]) => (from === to ? code(from) : `${code(from)}-${code(to)}`))
  return `[${isNegated ? '^' : ''}${parts.join('')}${properties.join('')}]`
}
