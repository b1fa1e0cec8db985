interface Limits {
  levels: number
  /** Maximum number of fields per object. */
  fields: number
  /** Maximum number of characters per text. */
  characters: number
  /** Maximum number of elements per list. */
  elements: number
}

/** Limits from the loosest to the strictest: levels, fields, characters, elements. */
const steps: readonly Limits[] = (
  [
    [99, 999, 9999, 999],
    [9, 99, 200, 1],
    [6, 12, 80, 1],
    [4, 8, 80, 1],
    [3, 8, 60, 1],
    [3, 5, 60, 1],
    [2, 5, 40, 1],
    [2, 3, 40, 1],
    [1, 3, 40, 1],
  ] as const
).map(([levels, fields, characters, elements]) => ({ levels, fields, characters, elements }))

/** A scalar, or a list or object with its parts. */
type Outline = string | { open: string; parts: Outline[]; close: string }

function outline(value: unknown, limits: Limits): Outline {
  const { levels, fields, characters, elements } = limits
  const below = { ...limits, levels: levels - 1 }
  if (typeof value === 'string')
    return JSON.stringify(value.length > characters ? `${value.slice(0, characters)}...` : value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    if (levels === 0) return '[...]'
    const parts = value.slice(0, elements).map((each) => outline(each, below))
    return { open: '[', parts: [...parts, ...(value.length > elements ? ['...'] : [])], close: ']' }
  }
  const all = Object.entries(value)
  if (all.length === 0) return '{}'
  if (levels === 0) return '{...}'
  // Omits nulls first, because they carry the least information.
  const known = all.length > fields ? all.filter(([, each]) => each !== null) : all
  const shown = known.slice(0, fields).map(([name, each]): Outline => {
    const part = outline(each, below)
    const named = `${JSON.stringify(name)}: `
    return typeof part === 'string' ? `${named}${part}` : { ...part, open: `${named}${part.open}` }
  })
  return { open: '{', parts: [...shown, ...(shown.length < all.length ? ['...'] : [])], close: '}' }
}

const onOneLine = (part: Outline): string =>
  typeof part === 'string' ? part : `${part.open}${part.parts.map(onOneLine).join(', ')}${part.close}`

const width = 100

/** Breaks a part that is too long for a line into one line per element. */
function laidOut(part: Outline, indent = ''): string {
  const line = onOneLine(part)
  if (typeof part === 'string' || indent.length + line.length <= width) return line
  const deeper = `${indent}  `
  const lines = part.parts.map((each) => `${deeper}${laidOut(each, deeper)}`)
  return `${part.open}\n${lines.join(',\n')}\n${indent}${part.close}`
}

/** Readable JSON of about `maxCharacters`, in lines; `...` replaces omitted parts. Pure. */
export function shortened(value: unknown, maxCharacters: number): string {
  const outlines = steps.map((limits) => outline(value, limits))
  const isShort = JSON.stringify(value).length <= maxCharacters
  const fitting = outlines.find((each) => onOneLine(each).length <= maxCharacters)
  return laidOut((isShort ? outlines[0] : (fitting ?? outlines.at(-1))) ?? '')
}
