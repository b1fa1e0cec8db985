import { didYouMean } from '../../sql/nearest.ts'

/** The beginning of DuckDB's error texts; Assay's own messages never match. */
const kinds = /^(?:Parser Error: )?([A-Z][A-Za-z]*(?: [A-Za-z]+)*) Error: /

type Sentence = (found: readonly string[], whole: string) => string

/** The names that a text lists after `Candidate …:` or `Did you mean`, without a table in front. */
function candidates(whole: string): string[] {
  const list = /(?:Candidate [a-z]+:|Candidate Entries:|Did you mean)([\s\S]*)/i.exec(whole)?.[1] ?? ''
  return [...list.matchAll(/"([^"]{1,200})"/g)].map(([, name = '']) => name.split('.').at(-1) ?? name)
}

const shown = (name: string) => `"${name.length > 64 ? `${name.slice(0, 64)}…` : name}"`
const missing = (what: string, name: string, whole: string) =>
  `There is no ${what} ${shown(name)}${didYouMean(name, candidates(whole))}`

/** The missing name in a message about a column, a field or a type. */
function missingName(sentence: string): string | undefined {
  return /^There is no (?:column|field|type) "([\s\S]{1,64}?)"(?:\.|; did you mean ")/.exec(sentence)?.[1]
}

/**
 * A message about a missing name with the place of this name in the SQL. The engine suggests no columns of views, so a
 * similar one of `columns` is suggested. Pure.
 */
export function withPlace(
  sentence: string,
  { columns, positionOf }: { columns: readonly string[]; positionOf: (name: string) => string },
): string {
  const name = missingName(sentence)
  if (name === undefined) return sentence
  // A column of another table may have this very name.
  const others = columns.filter((column) => column.toLowerCase() !== name.toLowerCase())
  const isAlone = sentence.startsWith('There is no column') && sentence.endsWith('".')
  return `${isAlone ? `${sentence.slice(0, -1)}${didYouMean(name, others)}` : sentence}${positionOf(name)}`
}

/** The type names that may be suggested. */
const types =
  `BIGINT BLOB BOOLEAN DATE DECIMAL DOUBLE FLOAT HUGEINT INTEGER INTERVAL JSON NUMERIC REAL SMALLINT STRING TEXT TIME
  TIMESTAMP TIMESTAMPTZ TINYINT UUID VARCHAR`.split(/\s+/)

const typeNames: { readonly [name: string]: string } = {
  INT8: 'TINYINT',
  INT16: 'SMALLINT',
  INT32: 'INTEGER',
  INT64: 'BIGINT',
  INT128: 'HUGEINT',
  BOOL: 'BOOLEAN',
  INTEGER_LITERAL: 'INTEGER',
  STRING_LITERAL: 'VARCHAR',
}
const typeOf = (name: string) => typeNames[name] ?? name
/** `UUID` and the unsigned types begin with a "you" sound, so they take "a" instead of "an". */
const withArticle = (type: string) => `${/^[AEIO]/.test(type) ? 'an' : 'a'} ${type}`
const typesOf = (list: string) => list.split(', ').map(typeOf).join(' and ')

/** The first match applies. No sentence repeats values of rows, because its readers may not be allowed to see them. */
const sentences: readonly (readonly [RegExp, Sentence])[] = [
  [
    /Referenced column "([\s\S]+?)" (?:not found|was not found)/,
    ([name = ''], whole) => missing('column', name, whole),
  ],
  [
    /(?:Table|Values list) "([\s\S]+?)" does not have a column named "([\s\S]+?)"/,
    ([, name = ''], whole) => missing('column', name, whole),
  ],
  [
    /Column "([\s\S]+?)" does not exist on (left|right) side of join/,
    ([name = '', side = '']) =>
      `USING needs the column ${shown(name)} on both sides of the JOIN, and the ${side} one has none.`,
  ],
  [/Could not find key "([\s\S]+?)" in struct/, ([name = ''], whole) => missing('field', name, whole)],
  [
    /Referenced table "([\s\S]+?)" not found/,
    ([name = ''], whole) => missing('table', name, whole.replace('Candidate tables', 'Candidate bindings')),
  ],
  [
    /Ambiguous reference to column name "([\s\S]+?)"/,
    ([name = '']) => `The column ${shown(name)} is in several tables: put the name of its table before it.`,
  ],
  [
    /Type with name ([\s\S]+?) does not exist/,
    ([name = '']) => `There is no type ${shown(name)}${didYouMean(name, types)}`,
  ],
  [/Table with name ([\s\S]+?) does not exist/, ([name = ''], whole) => missing('table', name, whole)],
  [
    /Function with name (\S+) does not exist/,
    ([name = ''], whole) =>
      /^\w+$/.test(name)
        ? missing('function', name, whole)
        : `There is no operator ${shown(name.replace('__postfix', ''))}: write NOT for negation and <> for "is not equal".`,
  ],
  [
    /No function matches the given name and argument types '(\S+?)\(([\s\S]*?)\)'/,
    ([name = '', types = '']) =>
      name.includes('__postfix')
        ? 'There is no operator "!" after a value: write NOT for negation and <> for "is not equal".'
        : `${shown(name)} does not work with ${types === '' ? 'no values' : typesOf(types)}: cast them, for example with TRY_CAST(x AS DOUBLE).`,
  ],
  [
    /Cannot compare values of type (\S+?) and type (\S+?) /,
    ([one = '', other = '']) => {
      const both = `${withArticle(typeOf(one))} and ${withArticle(typeOf(other))}`
      return `A${both.slice(1)} cannot be compared: cast one of them.`
    },
  ],
  [
    /column "([\s\S]+?)" must appear in the GROUP BY/,
    ([name = '']) => `The column ${shown(name)} must be in GROUP BY or inside an aggregate.`,
  ],
  [/cannot contain aggregates/, () => 'Aggregates cannot be used here: an expression sees one row at a time.'],
  [/cannot contain window/, () => 'Window functions cannot be used here: an expression sees one row at a time.'],
  [/Subquery returns \d+ columns/, () => 'A SELECT in brackets must return one column.'],
  [
    /More than one row returned by a subquery/,
    () => 'A SELECT in brackets returns more than one row: use max, min or LIMIT 1.',
  ],
  [/UNION types|same number of result columns/i, () => 'Both sides of UNION must return the same columns.'],
  [/syntax error at or near "([\s\S]{1,64}?)"/, ([near = '']) => `${shown(near)} is not expected here.`],
  [/syntax error at end of input/, () => 'The SQL ends too early: something is missing.'],
  [/Maximum recursion|expression depth/i, () => 'The SQL is nested too deep: write it with fewer brackets.'],
]

/** Matches only names of types, because the text may contain a part of the value at this place. */
const castTarget =
  /(?:to|->) (BOOL(?:EAN)?|U?(?:TINY|SMALL|BIG|HUGE)INT|U?INT(?:EGER|8|16|32|64|128)|FLOAT|DOUBLE|DECIMAL|DATE|TIME|TIMESTAMP|INTERVAL|UUID|BLOB|VARCHAR|BIT|JSON)\b/

const unreadableFile = 'A file of the source cannot be read: it was moved, changed or damaged. Crawl the source again.'

const ofKinds: { readonly [kind: string]: Sentence } = {
  Binder: () => 'The SQL does not match the data: check the names and types of its columns.',
  Catalog: () => 'The SQL names something that does not exist.',
  Parser: () => 'The SQL cannot be parsed: check for a missing bracket, quote or comma.',
  Syntax: () => 'The SQL cannot be parsed: check for a missing bracket, quote or comma.',
  Conversion: (_, whole) => {
    const type = castTarget.exec(whole)?.[1]
    const target = type === undefined ? 'to the requested type' : `to ${typeOf(type)}`
    return `A value cannot be converted ${target}: use TRY_CAST, which gives NULL instead.`
  },
  'Out of Range': () => 'A number is outside of the range of its type: cast it to a wider one, such as DOUBLE.',
  'Invalid Input': (_, whole) => {
    if (/Error: invalid perl operator: \(\?<?[=!]?$/m.test(whole))
      return 'Regular expressions are those of RE2, which has no look-around, such as (?=…), (?!…), (?<=…) or (?<!…): write the pattern without.'
    if (/Error: (?:CSV Error|Error when sniffing|Malformed JSON|Hive partition)/i.test(whole)) return unreadableFile
    return /Error: (?:missing|invalid|bad|no argument|unexpected|trailing)/i.test(whole)
      ? 'A pattern is not a valid regular expression: check for a missing bracket or a \\ at its end.'
      : 'A function of the SQL cannot work with a value of the data.'
  },
  Permission: () => 'The SQL reads something outside of the data.',
  IO: () => unreadableFile,
  INTERRUPT: () => 'The run was interrupted.',
}

/** Errors of these kinds quote only the SQL or names of the source. Other errors may quote values of rows. */
const ofSql = ['Binder', 'Catalog', 'Parser', 'Syntax']

const ofSystem =
  'A file cannot be read or written: check its permissions and the free space, then crawl the source again.'
const unknown = 'The data engine cannot do this with the current data. Crawl the source again, then run it again.'

/** Translates an error text of DuckDB, a driver or the system to a message of Assay that quotes no values. Pure. */
export function sentenceOf(text: string): string {
  const kind = kinds.exec(text)?.[1]
  if (kind === undefined) return /^E[A-Z]{2,}\b/.test(text) ? ofSystem : unknown
  const whole = text.slice(0, 20_000)
  if (ofSql.includes(kind))
    for (const [pattern, sentence] of sentences) {
      const found = pattern.exec(whole)
      if (found !== null) return sentence(found.slice(1).map(String), whole)
    }
  return ofKinds[kind]?.([], whole) ?? 'The data engine cannot do this with these values.'
}
