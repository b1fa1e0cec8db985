import { createHash } from 'node:crypto'
import { type ItemRecord, itemKindOf, type ScoreStrategy } from '@assay/contracts'
import { variableKeys } from '@assay/data-engine'
import { needsOf } from '../measurements/item-reads.ts'
import type { References, UdfTemplate } from '../references.ts'
import { type Figure, judgedFigure, measuresNumber } from './item-figures.ts'

/** What all series of a run have in common. Runs over a chosen part of the data compare with nothing: they have none. */
export interface SeriesFrame {
  assetId: number
  scope: 'FULL' | 'INCREMENTAL'
  /** Of INCREMENTAL runs: another marker reads another part of the data. */
  markKey: string | null
  /** The policy's. */
  filter: string | null
}

/** Says what a figure is measured of; of the same thing in other versions of a policy it is the same. */
export type SeriesKey = string

/**
 * The series of an item's figure. Whatever decides the figure belongs to it: measurement, column, expression, filters,
 * aggregate, `value`, the code of a template, and the values of `${variables}` in these texts. Id, name, weight and threshold do not.
 */
export function seriesKey(
  item: ItemRecord,
  figure: Figure,
  frame: SeriesFrame,
  references: Pick<References, 'udf' | 'variables'>,
): SeriesKey {
  const { measurementType, columnName, ruleExpression, filter, aggregateType, value } = item
  // Of a thing that is named by id and by name, the name may change.
  const { [itemKindOf(measurementType).refersTo?.name ?? '']: _renamed, ...own } = value ?? {}
  // The condition that a number has to meet decides the percentage, not the number.
  const { operator: _operator, value: _bound, min: _min, max: _max, ...unconditioned } = own
  const [udfId] = needsOf([item]).udfIds
  const template = udfId === undefined ? undefined : references.udf(udfId)
  return hashOf({
    ...commonOf(frame),
    figure,
    measurementType,
    columnName,
    ruleExpression: textOf(ruleExpression),
    itemFilter: textOf(filter),
    // Row checks do not aggregate, whatever stands there.
    aggregateType: measuresNumber(item) ? aggregateType : null,
    value: figure === 'NUMBER' ? unconditioned : own,
    template: template && { code: template.code, variables: template.variables },
    variables: usedVariables([frame.filter, filter, ruleExpression, own.sql], template, references.variables),
  })
}

/** Parameters of a template hide variables of the same name, but only in its code. */
function usedVariables(
  texts: readonly unknown[],
  template: UdfTemplate | undefined,
  variables: References['variables'],
): References['variables'] {
  const parameters = new Set(template?.variables.map(({ key }) => key))
  const ofCode = template ? variableKeys(template.code).filter((key) => !parameters.has(key)) : []
  const used = new Set([...texts.flatMap((text) => (typeof text === 'string' ? variableKeys(text) : [])), ...ofCode])
  return Object.fromEntries(Object.entries(variables).filter(([key]) => used.has(key)))
}

/** An item that counts in the score, with the series of its percentage. */
export interface ScoredSeries {
  key: SeriesKey
  item: ItemRecord
}

/** The series of a policy's score: of the same items scored in the same way. `items`: of those that count, in any order. */
export function scoreKey(strategy: ScoreStrategy, items: readonly ScoredSeries[], frame: SeriesFrame): SeriesKey {
  const scored = items.map(({ key, item }) => {
    const { isWarning, weightage, thresholdConfig } = item
    // A judged number counts as 100 or 0, and an item with isWarning only where it passes: the threshold decides both.
    const isDecidedByThreshold = isWarning || judgedFigure(item) === 'NUMBER'
    return hashOf({
      key,
      isWarning,
      weightage: strategy === 'RULES' ? null : weightage,
      threshold: isDecidedByThreshold ? thresholdConfig : null,
    })
  })
  return hashOf({ ...commonOf(frame), figure: 'SCORE', strategy, items: scored.sort() })
}

const commonOf = (frame: SeriesFrame) => ({ ...frame, filter: textOf(frame.filter) })

function hashOf(thing: object): SeriesKey {
  return createHash('sha256')
    .update(JSON.stringify(canonical(thing)))
    .digest('base64url')
    .slice(0, 22)
}

/** Keys in order; members that are absent or null mean the same and are left out, and so are objects without any. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => canonical(each) ?? null)
  if (typeof value !== 'object' || value === null) return value ?? undefined
  const members = Object.entries(value)
    .map(([key, member]): [string, unknown] => [key, canonical(member)])
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return members.length === 0 ? undefined : Object.fromEntries(members)
}

const textOf = (sql: string | null) => sql?.trim() || null
