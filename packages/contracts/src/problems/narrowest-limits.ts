import type { z } from 'zod'
import { pathText } from './plain-words.ts'

type Issue = z.core.$ZodIssue

/** The distance of a limit from zero, in the direction in which it is wider; `undefined` for issues without a limit. */
function widthOf(issue: Issue): number | undefined {
  if (issue.code === 'too_big') return Number(issue.maximum)
  return issue.code === 'too_small' ? -Number(issue.minimum) : undefined
}

/**
 * The issues without those limits that another limit of the same value implies. A schema may build on one with a wider
 * limit, and a value that exceeds both has two issues. Pure.
 */
export function narrowestLimits(issues: readonly Issue[]): Issue[] {
  const isNarrower = (one: Issue, other: Issue) =>
    one.code === other.code &&
    pathText(one.path) === pathText(other.path) &&
    (widthOf(one) ?? Number.POSITIVE_INFINITY) < (widthOf(other) ?? Number.NEGATIVE_INFINITY)
  return issues.filter((issue) => !issues.some((one) => isNarrower(one, issue)))
}
