import { AssayError } from '@assay/service-kit/errors'
import { classText, complement, namedClass, type Ranges } from './character-class.ts'

/**
 * Translates a regular expression in RE2's syntax so that PCRE (MariaDB), ICU (MySQL) and, with `writtenOut`, Joni
 * (Trino) match it in the same way. The result has no names that these extend to all scripts (`\d`, `\w`, `\b`) and no
 * capturing groups, and only `\n` is a line end. Refuses what RE2 refuses: references, look-around, atomic groups.
 */
export function portablePattern(pattern: string): string {
  return new Translation(pattern).all()
}

interface Flags {
  ignoreCase: boolean
  multiline: boolean
  dotAll: boolean
}

const maxRepetition = 1000
const maxDepth = 200
const controls: Readonly<Record<string, number>> = { a: 7, f: 12, t: 9, n: 10, r: 13, v: 11 }
const any = '[\\x{0}-\\x{10ffff}]'
const word = '[0-9A-Za-z_]'
const boundary = `(?:(?<!${word})(?=${word})|(?<=${word})(?!${word}))`
const noBoundary = `(?:(?<!${word})(?!${word})|(?<=${word})(?=${word}))`

class Translation {
  readonly #characters: string[]
  #at = 0
  #depth = 0

  constructor(pattern: string) {
    this.#characters = [...pattern]
  }

  all(): string {
    const found = this.#alternatives({ ignoreCase: false, multiline: false, dotAll: false })
    if (this.#peek() !== undefined) throw this.#refused('a closing bracket has no opening one')
    return found
  }

  #peek(ahead = 0): string | undefined {
    return this.#characters[this.#at + ahead]
  }

  #take(): string {
    const next = this.#characters[this.#at]
    if (next === undefined) throw this.#refused('it ends too early')
    this.#at += 1
    return next
  }

  /** Takes the text at this place that matches; if there is none, takes nothing and returns undefined. */
  #match(form: RegExp): RegExpExecArray | undefined {
    const found = form.exec(this.#characters.slice(this.#at, this.#at + 80).join(''))
    if (found === null) return undefined
    this.#at += [...found[0]].length
    return found
  }

  #refused(why: string): AssayError {
    return new AssayError('invalid', `The regular expression cannot be used: ${why} (character ${this.#at + 1}).`)
  }

  #alternatives(outer: Flags): string {
    if (this.#depth > maxDepth) throw this.#refused('its brackets are nested too deeply')
    this.#depth += 1
    const flags = { ...outer }
    let text = ''
    for (let next = this.#peek(); next !== undefined && next !== ')'; next = this.#peek()) {
      if (next === '|') text += this.#take()
      else text += this.#repeated(flags)
    }
    this.#depth -= 1
    return text
  }

  #repeated(flags: Flags): string {
    const one = this.#atom(flags)
    const found = this.#match(/^(?:[*+?]|\{(\d{1,5})(?:,(\d{0,5}))?\})\??/)
    if (found === undefined) return one
    if (one === '') throw this.#refused('nothing to repeat')
    const [repetition, least, most] = found
    if (Math.max(Number(least ?? 0), Number(most ?? 0)) > maxRepetition)
      throw this.#refused(`it repeats more than ${maxRepetition} times`)
    if (least !== undefined && most && Number(most) < Number(least))
      throw this.#refused('the bounds of a repetition are in the wrong order')
    if (/^[*+?]$/.test(this.#peek() ?? '') || /^\{\d+(?:,\d*)?\}/.test(this.#characters.slice(this.#at).join('')))
      throw this.#refused('a repetition is repeated')
    return `(?:${one})${repetition}`
  }

  #atom(flags: Flags): string {
    const next = this.#take()
    switch (next) {
      case '(':
        return this.#group(flags)
      case '[':
        return cased(this.#class(), flags)
      case '.':
        return flags.dotAll ? any : '[^\\x{a}]'
      case '^':
        return flags.multiline ? '(?:\\A|(?<=\\x{a}))' : '\\A'
      case '$':
        return flags.multiline ? '(?:\\z|(?=\\x{a}))' : '\\z'
      case '\\':
        return this.#escaped(flags)
      case '*':
      case '+':
      case '?':
        throw this.#refused('nothing to repeat')
      default:
        return cased(literal(next), flags)
    }
  }

  #group(flags: Flags): string {
    const set = this.#match(/^\?([imsU]*)(?:-([imsU]+))?([:)])/)
    const inner = { ...flags }
    if (set !== undefined) {
      const [, on = '', off = '', end] = set
      const target = end === ')' ? flags : inner
      for (const [letters, value] of [[on, true] as const, [off, false] as const]) {
        if (letters.includes('i')) target.ignoreCase = value
        if (letters.includes('m')) target.multiline = value
        if (letters.includes('s')) target.dotAll = value
      }
      if (end === ')') return ''
    } else if (this.#match(/^\?P?<\w+>/) === undefined && this.#peek() === '?')
      throw this.#refused('this kind of group does not exist in RE2')
    const text = this.#alternatives(inner)
    if (this.#peek() !== ')') throw this.#refused('an opening bracket has no closing one')
    this.#take()
    return `(?:${text})`
  }

  #escaped(flags: Flags): string {
    if (this.#match(/^Q/) !== undefined) return this.#unquote() ? this.#atom(flags) : ''
    const property = this.#property()
    if (property !== undefined) return cased(property, flags)
    const named = this.#match(/^[dDsSwW]/)?.[0]
    if (named !== undefined) return classText(namedClass(named), [], false)
    const place = this.#match(/^[AzbB]/)?.[0]
    if (place !== undefined) return place === 'b' ? boundary : place === 'B' ? noBoundary : `\\${place}`
    return cased(`\\x{${this.#code().toString(16)}}`, flags)
  }

  /** Replaces the text up to `\\E` or the end by escaped characters. Returns whether there are any. */
  #unquote(): boolean {
    const rest = this.#characters.slice(this.#at)
    const found = rest.findIndex((one, index) => one === '\\' && rest[index + 1] === 'E')
    const end = found < 0 ? rest.length : found
    const escaped = rest.slice(0, end).flatMap((one) => [...`\\x{${(one.codePointAt(0) ?? 0).toString(16)}}`])
    this.#characters.splice(this.#at, Math.min(rest.length, end + 2), ...escaped)
    return end > 0
  }

  /** Reads `\pL`, `\p{Greek}`, `\P{^Lu}`, after the backslash. */
  #property(): string | undefined {
    const found = this.#match(/^([pP])(?:\{(\^?)(\w{1,40})\}|([A-Z]))/)
    if (found === undefined) return undefined
    const [, letter, caret, name, short] = found
    const isNegated = (letter === 'P') !== (caret === '^')
    if (name === 'Any') return isNegated ? `[^${any.slice(1)}` : any
    return `\\${isNegated ? 'P' : 'p'}{${name ?? short ?? ''}}`
  }

  /** The code point of an escape, after the backslash. */
  #code(): number {
    const hexadecimal = this.#match(/^x(?:\{([\da-fA-F]{1,6})\}|([\da-fA-F]{2}))/)
    if (hexadecimal !== undefined) {
      const code = Number.parseInt(hexadecimal[1] ?? hexadecimal[2] ?? '', 16)
      if (code > 0x10ffff) throw this.#refused('there is no such character')
      return code
    }
    const octal = this.#match(/^(?:0[0-7]{0,2}|[1-7][0-7]{1,2})/)
    if (octal !== undefined) return Number.parseInt(octal[0], 8)
    const next = this.#take()
    const control = controls[next]
    if (control !== undefined) return control
    if (/^[\x21-\x2f\x3a-\x40[-`{-~ ]$/.test(next)) return next.codePointAt(0) ?? 0
    throw this.#refused(`\\${next} does not exist in RE2`)
  }

  #class(): string {
    const isNegated = this.#match(/^\^/) !== undefined
    const ranges: (readonly [number, number])[] = []
    const properties: string[] = []
    for (let isFirst = true; isFirst || this.#peek() !== ']'; isFirst = false) {
      const found = this.#classItem(properties)
      if (typeof found !== 'number') {
        ranges.push(...found)
        continue
      }
      const isRange = this.#peek() === '-' && this.#peek(1) !== undefined && this.#peek(1) !== ']'
      if (!isRange) {
        ranges.push([found, found])
        continue
      }
      this.#take()
      const next = this.#take()
      const end = next === '\\' ? this.#code() : (next.codePointAt(0) ?? 0)
      if (end < found) throw this.#refused('a range of characters is in the wrong order')
      ranges.push([found, end])
    }
    this.#take()
    return classText(ranges, properties, isNegated)
  }

  /** One code point, or several ranges. */
  #classItem(properties: string[]): number | Ranges {
    const posix = this.#match(/^\[:(\^?)(\w+):\]/)
    if (posix !== undefined) {
      const ranges = namedClass(posix[2] ?? '')
      if (ranges.length === 0) throw this.#refused(`there is no class ${posix[2]}`)
      return posix[1] === '^' ? complement(ranges) : ranges
    }
    const next = this.#take()
    if (next !== '\\') return next.codePointAt(0) ?? 0
    const property = this.#property()
    if (property !== undefined) {
      properties.push(property)
      return []
    }
    const named = this.#match(/^[dDsSwW]/)?.[0]
    return named === undefined ? this.#code() : namedClass(named)
  }
}

const literal = (character: string) =>
  /^[0-9A-Za-z]$/.test(character) ? character : `\\x{${(character.codePointAt(0) ?? 0).toString(16)}}`

const cased = (text: string, { ignoreCase }: Flags) => (ignoreCase && text !== '' ? `(?i:${text})` : text)

/**
 * A translated pattern without `\x{}`: ASCII characters are written as `\x` and two digits, and others as they are, for
 * servers that know no other form.
 */
export function writtenOut(translated: string): string {
  return translated.replace(/\\x\{([\da-f]+)\}/g, (_, digits: string) => {
    const code = Number.parseInt(digits, 16)
    return code < 0x80 ? `\\x${code.toString(16).padStart(2, '0')}` : String.fromCodePoint(code)
  })
}
