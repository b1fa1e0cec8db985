/** The values of the status filter in lists of policies. */
export const policyStatusFilters = ['ALL', 'ACTIVE', 'ENABLED', 'DISABLED', 'ARCHIVED'] as const
type PolicyStatusFilter = (typeof policyStatusFilters)[number]
type PolicyStatus = 'ENABLED' | 'DISABLED' | 'ARCHIVED'

const statuses: Readonly<Record<PolicyStatusFilter, readonly PolicyStatus[]>> = {
  ALL: ['ENABLED', 'DISABLED', 'ARCHIVED'],
  ACTIVE: ['ENABLED'],
  ENABLED: ['ENABLED'],
  DISABLED: ['DISABLED'],
  ARCHIVED: ['ARCHIVED'],
}

/** The statuses that match a filter, without repetitions. Without a filter: all but archived. */
export function policyStatusesOf(filters: readonly PolicyStatusFilter[] = []): PolicyStatus[] {
  return filters.length === 0 ? ['ENABLED', 'DISABLED'] : [...new Set(filters.flatMap((filter) => statuses[filter]))]
}
