import { type CountedValue, isTemporal, maxBuckets, parseType } from '@assay/data-engine'
import type { ReadColumn } from '../profiles/column-metric.ts'
import { inNumberBins, type NumberBins } from '../profiles/common-bins.ts'
import { distributionOf, hasPositions } from '../profiles/distribution.ts'
import { sharesOf } from '../profiles/merge-values.ts'
import { inShares } from './divergences.ts'

/** The row counts of a column and of its baseline in the same bins. NULL has its own bin. */
export interface Bins {
  names: string[]
  reference: number[]
  current: number[]
  /** Whether there are too many different values to count each one. */
  approximate: boolean
}

/**
 * The bins for a column, from its current values and its baseline. For numbers and times, the baseline determines the
 * bins. Pure.
 */
export function binsOf(reference: ReadColumn, current: ReadColumn): Bins {
  return hasPositions(reference.dataType) ? numberBins(reference, current) : valueBins(reference, current)
}

function numberBins(reference: ReadColumn, current: ReadColumn): Bins {
  const [then, now] = [reference, current].map((column) => distributionOf(column, maxBuckets))
  if (then?.kind !== 'numbers' || now?.kind !== 'numbers') return valueBins(reference, current)
  const bins = inNumberBins(then.spread, now.spread)
  return {
    names: [...namesOf(bins, reference.dataType), 'NULL'],
    reference: [...bins.reference, then.nulls],
    current: [...bins.current, now.nulls],
    approximate: bins.approximate,
  }
}

/** `below 1`, `[1, 5]`, `(5, 9]`, `above 9`; a frequent value has its own bin. */
function namesOf({ edges }: NumberBins, dataType: string): string[] {
  const text = textOf(dataType)
  const [least] = edges
  const greatest = edges.at(-1)
  if (least === undefined || greatest === undefined) return ['all']
  const names = edges.slice(1).map(({ upTo, isBeforeValue }, index) => {
    const from = edges[index] ?? least
    if (from.isBeforeValue) return text(upTo)
    return `${index === 0 ? '[' : '('}${text(from.upTo)}, ${text(upTo)}${isBeforeValue ? ')' : ']'}`
  })
  return [`below ${text(least.upTo)}`, ...names, `above ${text(greatest.upTo)}`]
}

/** Dates and times are seconds since 1970. */
function textOf(dataType: string): (position: number) => string {
  const type = parseType(dataType)
  if (!isTemporal(type)) return (position) => String(Number(position.toPrecision(6)))
  return (position) => {
    const time = new Date(Math.round(position * 1000))
    if (Number.isNaN(time.getTime())) return String(position)
    return type.kind === 'date' ? time.toISOString().slice(0, 10) : time.toISOString()
  }
}

function valueBins(reference: ReadColumn, current: ReadColumn): Bins {
  const [then, now] = [reference.known.values, current.known.values]
  const nulls = { reference: reference.nulls, current: current.nulls }
  if (then.kind === 'each' && now.kind === 'each') return eachBins(then.values, now.values, nulls)
  const names = Array.from({ length: 256 }, (_, index) => `values of group ${index + 1} of 256`)
  return {
    names: [...names, 'NULL'],
    reference: [...sharesOf(then), nulls.reference],
    current: [...sharesOf(now), nulls.current],
    approximate: true,
  }
}

/**
 * Long values are truncated, and different values may share a hash. Only the value and its hash together identify a
 * value.
 */
const keyOf = ({ hash, value }: CountedValue) => `${hash} ${value}`

/** One bin per value; values that are frequent in the baseline come first. */
function eachBins(
  then: readonly CountedValue[],
  now: readonly CountedValue[],
  nulls: { reference: number; current: number },
): Bins {
  const bins = new Map<string, { name: string; reference: number; current: number }>()
  for (const one of then) bins.set(keyOf(one), { name: String(one.value), reference: one.count, current: 0 })
  for (const one of now) {
    const bin = bins.get(keyOf(one)) ?? { name: String(one.value), reference: 0, current: 0 }
    bins.set(keyOf(one), { ...bin, current: one.count })
  }
  const sorted = [...bins.values()].sort((a, b) => b.reference - a.reference || b.current - a.current)
  const all = [...sorted, { name: 'NULL', ...nulls }]
  return {
    names: all.map(({ name }) => name),
    reference: all.map(({ reference }) => reference),
    current: all.map(({ current }) => current),
    approximate: false,
  }
}

/** One bin of a result, with the share of the rows in it (0 to 1). */
export interface ShownBin {
  bin: string
  reference: number
  current: number
}

/** Maximum number of bins in a result. */
const maxShown = 50
const maxName = 100

const rounded = (share: number) => Number(share.toFixed(6))

/**
 * The shares of rows by bin, in order. If there are more than 50 bins, returns those whose shares changed most, and all
 * others as one. Pure.
 */
export function shownBins(bins: Bins): ShownBin[] {
  const [reference, current] = [inShares(bins.reference), inShares(bins.current)]
  const all = bins.names.map((bin, index) => ({ bin, reference: reference[index] ?? 0, current: current[index] ?? 0 }))
  const moved = [...all].sort((a, b) => wayOf(b) - wayOf(a))
  const kept = new Set(all.length > maxShown ? moved.slice(0, maxShown - 1) : moved)
  const others = all.filter((bin) => !kept.has(bin))
  const sumOf = (of: 'reference' | 'current') => others.reduce((sum, bin) => sum + bin[of], 0)
  const rest = { bin: 'other values', reference: sumOf('reference'), current: sumOf('current') }
  return [...all.filter((bin) => kept.has(bin)), ...(others.length === 0 ? [] : [rest])].map((bin) => ({
    bin: bin.bin.length > maxName ? `${bin.bin.slice(0, maxName)}…` : bin.bin,
    reference: rounded(bin.reference),
    current: rounded(bin.current),
  }))
}

/** How much the share of a bin changed. */
export const wayOf = (bin: ShownBin | undefined) => Math.abs((bin?.current ?? 0) - (bin?.reference ?? 0))
