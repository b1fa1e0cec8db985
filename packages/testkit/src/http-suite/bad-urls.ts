import type { Operation } from '@assay/contracts'

export const badSegments = [
  'abc',
  '0',
  '-1',
  '1e3',
  '9223372036854775808',
  '1.0',
  '+1',
  '%20',
  '%D9%A1',
  '%00',
  '..%2F..',
  '__proto__',
  'x'.repeat(2000),
  '%D0%B8%D0%BC%D1%8F',
  '%27%20OR%201=1--',
  '%E0%A4%A',
]

const badValues = [
  '',
  '-1',
  '0',
  '1e3',
  '99999999999999999999',
  '%00',
  '__proto__',
  '%D0%B8%D0%BC%D1%8F',
  'x'.repeat(2000),
  '%27%22;--',
]

const parametersOf = ({ query }: Operation): string[] => ('shape' in query ? Object.keys(query.shape as object) : [])

/** Each parameter twice, with equal and with different values. */
export function doubledOf(operation: Operation): string[] {
  return parametersOf(operation).flatMap((name) => [`${name}=1&${name}=1`, `${name}=true&${name}=false`])
}

/** Each parameter repeated and with wrong values. */
export function queriesOf(operation: Operation): string[] {
  const wrong = parametersOf(operation).flatMap((name) => [
    ...badValues.map((value) => `${name}=${value}`),
    `${name}[a]=1`,
    `${name}[]=1`,
  ])
  return [...doubledOf(operation), ...wrong]
}

/** The parameters of the path: `value` at the index `index`, `1` for all others. */
export function paramsWith({ path }: Operation, index: number, value: string): Record<string, string> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
  return Object.fromEntries(names.map((name, at) => [name, at === index ? value : '1']))
}

/** Whether the path parameter at the index `index` is numeric. */
export function isNumber(operation: Operation, index: number): boolean {
  return !operation.params.safeParse(paramsWith(operation, index, 'abc')).success
}
