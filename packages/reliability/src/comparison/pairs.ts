import type { ComparedPair } from '@assay/data-engine'
import type { RunGiven } from '../kinds/judging.ts'
import type { ComparisonPolicy, Mapping } from './definition.ts'

/** Columns that exist on one side only. Rows of such tables are never equal. */
export interface Lacking {
  /** Columns of the left side that the right one lacks. */
  left: string[]
  right: string[]
}

/**
 * How the rows of a run are compared. With `lacking` they are not compared, because the tables have different columns.
 */
export type Pairing = { pairs: readonly [ComparedPair, ...ComparedPair[]] } | { lacking: Lacking }

type Tolerance = NonNullable<Mapping['tolerance']>

const timeUnits = {
  MILLISECONDS: 'millisecond',
  SECONDS: 'second',
  MINUTES: 'minute',
  HOURS: 'hour',
  DAYS: 'day',
} as const satisfies Record<NonNullable<Tolerance['timeUnit']>, ComparedPair['timeUnit']>

/**
 * The pairs of columns that a run compares: those of the mappings or, without mappings, columns of the same name. Pure.
 */
export function pairingOf(policy: ComparisonPolicy, { sides: [left, right] }: Pick<RunGiven, 'sides'>): Pairing {
  const offset = policy.timeSecondsOffset === 0 ? {} : { leftOffsetSeconds: policy.timeSecondsOffset }
  const [first, ...more] = policy.mappings.map((mapping) => ({ ...pairOf(mapping), ...offset }))
  if (first !== undefined) return { pairs: [first, ...more] }
  const namesOf = (side: typeof left | undefined) => side?.columns.map(({ name }) => name) ?? []
  const [ofLeft, ofRight] = [namesOf(left), namesOf(right)]
  const lacking = {
    left: ofLeft.filter((name) => !ofRight.includes(name)),
    right: ofRight.filter((name) => !ofLeft.includes(name)),
  }
  const [one, ...others] = ofLeft.map((name) => ({ left: name, right: name, isKey: false, ...offset }))
  if (one === undefined || lacking.left.length + lacking.right.length > 0) return { lacking }
  return { pairs: [one, ...others] }
}

function pairOf(mapping: Mapping): ComparedPair {
  const { leftColumnName: left, rightColumnName: right, useForJoining: isKey, operation } = mapping
  const { absolute, relative, timeUnit, trim, ignoreCase } = mapping.tolerance ?? {}
  const distance = {
    ...(absolute == null ? {} : { absolute: decimalText(absolute) }),
    ...(relative == null ? {} : { relative: decimalText(relative) }),
  }
  return {
    ...{ left, right, isKey },
    ...(trim ? { trim } : {}),
    ...(ignoreCase ? { ignoreCase } : {}),
    ...(timeUnit == null ? {} : { timeUnit: timeUnits[timeUnit] }),
    ...(Object.keys(distance).length === 0 ? {} : { tolerance: distance }),
    ...(operation === 'EQ' ? {} : { operation }),
    ...(mapping.ignoreNullValues ? { ignoreNulls: true } : {}),
    ...(mapping.isWarning ? { isWarning: true } : {}),
  }
}

/** The shortest decimal form of a number, without an exponent. */
export function decimalText(value: number): string {
  const [mantissa = '', exponent] = String(value).split('e')
  if (exponent === undefined) return mantissa
  const [whole = '', fraction = ''] = mantissa.split('.')
  const places = Number(exponent)
  if (places >= 0) return `${whole}${fraction.padEnd(places, '0')}`
  return `0.${'0'.repeat(-places - 1)}${whole}${fraction}`
}
