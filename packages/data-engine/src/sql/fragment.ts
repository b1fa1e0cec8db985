/** A value that is bound instead of being part of the text. */
export type Binding = string | number | boolean

/**
 * A piece of SQL with the values of its named parameters (`$name`). Pieces of one plan never share a parameter name.
 */
export interface Fragment {
  text: string
  bindings: { [name: string]: Binding }
}

export function raw(text: string): Fragment {
  return { text, bindings: {} }
}

/** A template tag. The inserted values are fragments or trusted text. Collects their bindings. */
export function sql(strings: TemplateStringsArray, ...holes: (Fragment | string | number | bigint)[]): Fragment {
  let text = strings[0] ?? ''
  const bindings: { [name: string]: Binding } = {}
  for (const [index, hole] of holes.entries()) {
    if (typeof hole === 'object') Object.assign(bindings, hole.bindings)
    text += (typeof hole === 'object' ? hole.text : String(hole)) + (strings[index + 1] ?? '')
  }
  return { text, bindings }
}

export function join(fragments: readonly Fragment[], separator: string): Fragment {
  return {
    text: fragments.map((fragment) => fragment.text).join(separator),
    bindings: Object.assign({}, ...fragments.map((fragment) => fragment.bindings)),
  }
}
