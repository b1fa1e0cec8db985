import { cronProblem, isTimeZone, prefixProblem, templateProblem } from '@assay/contracts'
import { checkableType, endsOf, findColumnPath, parseType, quotedNames, variableKeys } from '@assay/data-engine'
import { describe, expect, it } from 'vitest'
import { columnSortText, pagingQuery } from '../../../packages/contracts/src/http/paging.ts'
import { enumListText } from '../../../packages/contracts/src/operations/shapes.ts'
import { booleanText, idListText, idText, plainText, timeText } from '../../../packages/contracts/src/values/scalars.ts'
import { unnumbered } from '../../../packages/contracts/src/values/uid.ts'
import { csvOptions, knownEncoding } from '../../../packages/data-engine/src/dataset.ts'
import { parseDecimal } from '../../../packages/data-engine/src/sql/decimal.ts'
import { nearest } from '../../../packages/data-engine/src/sql/nearest.ts'
import { planParameters, writtenSql } from '../../../packages/data-engine/src/sql/written.ts'
import { formsOf, tailsOf, typoKeys } from '../../../packages/documents/src/search/words.ts'
import { parseMeasured } from '../../../packages/reliability/src/exact.ts'
import { engineFormat, isReadableFormat, readMarkerTime } from '../../../packages/reliability/src/marker-times.ts'
import { parseDuration, parseInstant } from '../../../packages/reliability/src/times.ts'
import { parsePositions } from '../../../packages/service-kit/src/http/positions.ts'
import { passTracesOn } from '../../../packages/service-kit/src/telemetry/telemetry.ts'
import { beginWork } from '../../../packages/service-kit/src/telemetry/trace.ts'
import { inferredType } from '../../catalog/src/inferring/infer-type.ts'
import { tableNamesIn } from '../../execution/src/references/find-references.ts'
import { credentialsIn } from '../../gateway/src/authentication/credentials.ts'

passTracesOn()

const columns = [{ name: 'a', dataType: 'STRUCT(a BIGINT)' }]
const paging = pagingQuery(['name'])

/** Parsers of user input in processes that answer requests. */
const parsers: { [name: string]: (text: string) => unknown } = {
  'names in SQL': quotedNames,
  'tables in SQL': (text) => tableNamesIn([text, `"${text}"`]),
  'suffixes of table names': endsOf,
  'variables in SQL': variableKeys,
  'SQL before it is parsed': (sql) =>
    writtenSql({ sql, variables: {} }, 'expression', planParameters('2026-01-01T00:00:00.000Z')),
  'column paths': (text) => findColumnPath(columns, text),
  'near names': (text) => nearest(text, ['amount', text.slice(1)]),
  'types of columns': parseType,
  'types to match': checkableType,
  'exact numbers': parseMeasured,
  'bounds of ranges': parseDecimal,
  instants: parseInstant,
  durations: parseDuration,
  'formats of dates': (text) => [isReadableFormat(text), engineFormat(text)],
  'dates by a format': (text) => readMarkerTime(text, 'yyyy-MM-dd', 'UTC'),
  'dates by any format': (text) => readMarkerTime('2026-01-01', text, 'UTC'),
  'cron expressions': (text) => cronProblem(text, 'UTC'),
  'time zones': isTimeZone,
  'path templates': templateProblem,
  'path prefixes': prefixProblem,
  'sort orders': (text) => paging.sortBy.safeParse(text),
  'sort orders by column': (text) => columnSortText('__row').safeParse(text),
  pages: (text) => [paging.page.safeParse(text), paging.size.safeParse(text), paging.asOf.safeParse(text)],
  'lists of names': (text) => enumListText(['ONE', 'TWO']).safeParse(text),
  'lists of ids': (text) => idListText.safeParse(text),
  ids: (text) => idText.safeParse(text),
  times: (text) => timeText.safeParse(text),
  'true or false': (text) => booleanText.safeParse(text),
  'plain texts': (text) => plainText(1024).safeParse(text),
  UIDs: unnumbered,
  encodings: knownEncoding,
  'CSV options': (text) => csvOptions.safeParse({ delimiter: text, encoding: text, nullValues: [text] }),
  'search texts': formsOf,
  'search words': typoKeys,
  'ends of names': (text) => tailsOf(formsOf(text)),
  'test data': (text) => inferredType([text]),
  positions: parsePositions,
  traces: (text) => beginWork('x', { kind: 'server', from: { traceparent: text, tracestate: text } }),
  credentials: (text) => credentialsIn({ authorization: text, accesskey: text, secretkey: text }),
}

const size = 1024 * 1024
const fill = (piece: string) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size)
const pieces = [
  ...[
    'a',
    'A',
    'a.',
    '.',
    '/',
    '"',
    "'",
    '""',
    'a"',
    '" ',
    '`',
    ' ',
    '\t\n',
    '0',
    '9',
    '1.',
    '1,',
    ',',
    'a,',
    ', ',
    'ü',
    '漢',
    'e\u0301',
  ],
  ...[
    '(',
    '[',
    '{',
    '}',
    '${',
    '${a}',
    '$',
    '$a$',
    '$a',
    '{{',
    '{{A',
    '{{TIME:',
    '{{REQUEST_ID}}',
    '/*',
    '*/',
    '--',
    '-',
    '*',
    '**/',
  ],
  ...[
    '?',
    ';',
    '\\',
    'a_',
    'aA',
    'A漢',
    '=',
    '%',
    'a=',
    'P1',
    'T1',
    'yyyy',
    "'a",
    'E1',
    'x:',
    ':asc',
    '* ',
    '*/1 ',
    '1-2,',
    'Bearer ',
    '\ufdfa',
  ],
]
const texts = [
  ...pieces.map((piece) => `${fill(piece)}x`),
  ...['"', "'", '.', ' ', '$', '{{', '/*', 'a.'].map((piece) => `x${fill(piece)}`),
]

function quickest(parse: (text: string) => unknown, text: string): number {
  let least = Number.POSITIVE_INFINITY
  // CPU time of this thread only; the fastest attempt excludes one-time work.
  for (let attempt = 0; attempt < 5 && least > 20; attempt += 1) {
    const before = process.threadCpuUsage()
    try {
      parse(text)
    } catch {
      // An error is a valid result.
    }
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

describe('user input', () => {
  it.each(Object.keys(parsers))('given 1 MiB of worst-case text, then parsing %s takes at most 20 ms', (name) => {
    const parse = parsers[name] ?? (() => undefined)
    const slow = texts
      .map((text) => ({ text: text.slice(0, 12), milliseconds: Math.round(quickest(parse, text)) }))
      .filter(({ milliseconds }) => milliseconds > 20)
    expect(slow).toEqual([])
  })
})
