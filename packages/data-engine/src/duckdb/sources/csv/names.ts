/**
 * Column names of a header line. A blank name becomes `column<i>` with its position from 0. A repeated name (the engine
 * ignores case) gets a suffix `_1`, `_2` and so on. NUL characters become U+FFFD. Other names stay unchanged.
 */
export function columnNames(header: readonly string[]): string[] {
  const taken = new Set<string>()
  const raw = new Set(header.map((name) => name.toLowerCase()))
  return header.map((text, index) => {
    const name = text.trim() === '' ? `column${index}` : text.replaceAll('\0', '\ufffd')
    let unique = name
    for (let i = 1; taken.has(unique.toLowerCase()) || (i > 1 && raw.has(unique.toLowerCase())); i += 1) {
      unique = `${name}_${i}`
    }
    taken.add(unique.toLowerCase())
    return unique
  })
}
