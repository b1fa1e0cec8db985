import { createHash } from 'node:crypto'
import { type ItemRecord, itemKindOf, type ScoreStrategy } from '@assay/contracts'
import { variableKeys } from '@assay/data-engine'
import { needsOf } from '../measurements/item-reads.ts'
import type { References, UdfTemplate } from '../references.ts'
import { type Figure, judgedFigure, measuresNumber } from './item-figures.ts'

/** The common part of the keys of a run's series. Runs over a selected part of the data have no series. */
export interface SeriesFrame {
  assetId: number
  /** Only for views: changes when the view is redefined, because its asset id does not change. */
  view?: string | undefined
  scope: 'FULL' | 'INCREMENTAL'
  /** Only for INCREMENTAL runs: identifies the marker, because another marker reads other rows. */
  markKey: string | null
  /** The filter of the policy. */
  filter: string | null
  /** Identifies the periods. Absent for values of runs. */
  period?: object
}

/** Identifies what the values of a series measure, across versions of a policy. */
export type SeriesKey = string

/**
 * The series of an item's percentage or number. The key contains everything that its values depend on: measurement,
 * column, expression, filters, aggregate, `value`, the code of a template, the values of `${variables}` in these texts,
 * and what referenced views show. It contains neither id, name, weight nor threshold.
 */
export function seriesKey(
  item: ItemRecord,
  figure: Figure,
  frame: SeriesFrame,
  references: Pick<References, 'udf' | 'variables' | 'views'>,
): SeriesKey {
  const { measurementType, columnName, ruleExpression, filter, aggregateType, value } = item
  // The name of a referenced object is left out, because it may change. The key has its id.
  const { [itemKindOf(measurementType).refersTo?.name ?? '']: _renamed, ...own } = value ?? {}
  // The condition decides the percentage, not the number.
  const { operator: _operator, value: _bound, min: _min, max: _max, ...unconditioned } = own
  const needs = needsOf([item])
  const [udfId] = needs.udfIds
  const template = udfId === undefined ? undefined : references.udf(udfId)
  return hashOf({
    ...commonOf(frame),
    figure,
    measurementType,
    columnName,
    ruleExpression: textOf(ruleExpression),
    itemFilter: textOf(filter),
    // Row checks ignore this field.
    aggregateType: measuresNumber(item) ? aggregateType : null,
    value: figure === 'NUMBER' ? unconditioned : own,
    views: references.views(needs).join() || null,
    template: template && { code: template.code, variables: template.variables },
    variables: usedVariables([frame.filter, filter, ruleExpression, own.sql], template, references.variables),
  })
}

/** Parameters of a template shadow variables of the same name, but only in the template's code. */
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

/**
 * The series of a policy's score. Scores share a series if the same items count in the same way. `items`: the items
 * that count, in any order.
 */
export function scoreKey(strategy: ScoreStrategy, items: readonly ScoredSeries[], frame: SeriesFrame): SeriesKey {
  const scored = items.map(({ key, item }) => {
    const { isWarning, weightage, thresholdConfig } = item
    // The threshold determines whether a judged number counts as 100 or 0, and whether an item with isWarning counts.
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

/** The series of a figure of one column (null: of the table). `measured` identifies the figure. */
export function columnKey(columnName: string | null, measured: object, frame: SeriesFrame): SeriesKey {
  return hashOf({ ...commonOf(frame), columnName, measured })
}

const commonOf = (frame: SeriesFrame) => ({ ...frame, filter: textOf(frame.filter) })

/** The key of what `thing` describes. */
export function hashOf(thing: object): SeriesKey {
  return createHash('sha256')
    .update(JSON.stringify(canonical(thing)))
    .digest('base64url')
    .slice(0, 22)
}

/** Sorts keys. Leaves out null and empty objects, because they mean the same as an absent member. */
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
