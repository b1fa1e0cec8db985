import { segmentOf } from '../records/policies/table.ts'
import type { PolicyType } from '../records/policy-types.ts'

/** A policy type in paths (`data-drift`), in ids of operations (`DataDrift`) and in sentences (`a data drift`). */
export function namesOf(type: PolicyType): { segment: string; name: string; title: string } {
  const words = type.toLowerCase().split('_')
  return {
    segment: segmentOf(type),
    name: words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join(''),
    title: `${/^[aeiou]/.test(type.toLowerCase()) ? 'an' : 'a'} ${words.join(' ')}`,
  }
}
