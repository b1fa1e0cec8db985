/** How much is shown, from all of it to hardly any: levels, fields of an object, characters of a text. One element of a list. */
const steps = [
  [9, 99, 200],
  [6, 12, 80],
  [4, 8, 80],
  [3, 8, 60],
  [3, 5, 60],
  [2, 5, 40],
  [2, 3, 40],
  [1, 3, 40],
] as const

function outline(value: unknown, levels: number, fields: number, characters: number): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > characters ? `${value.slice(0, characters)}...` : value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    if (levels === 0) return '[...]'
    return `[${outline(value[0], levels - 1, fields, characters)}${value.length > 1 ? ', ...' : ''}]`
  }
  const all = Object.entries(value)
  if (all.length === 0) return '{}'
  if (levels === 0) return '{...}'
  // What is not known says least.
  const known = all.length > fields ? all.filter(([, each]) => each !== null) : all
  const shown = known
    .slice(0, fields)
    .map(([name, each]) => `"${name}": ${outline(each, levels - 1, fields, characters)}`)
  return `{${[...shown, ...(shown.length < all.length ? ['...'] : [])].join(', ')}}`
}

/** JSON for people, of about `most` characters: `...` stands for what is left out. Pure. */
export function shortened(value: unknown, most: number): string {
  const whole = JSON.stringify(value)
  if (whole.length <= most) return whole
  const texts = steps.map(([levels, fields, characters]) => outline(value, levels, fields, characters))
  return texts.find((text) => text.length <= most) ?? texts.at(-1) ?? whole
}
