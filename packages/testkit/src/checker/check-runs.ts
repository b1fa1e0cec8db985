import type { Facts, Finding } from './facts.ts'

/** The longest that a run may have been open, whatever happened to those that worked on it. */
export const longestOpenMs = 120_000

/** No run was, or is, open for longer than two minutes. One that is still open may end in time. */
export function checkRuns({ runs, now }: Pick<Facts, 'runs' | 'now'>): Finding[] {
  return runs.flatMap(({ id, openedAt, endedAt }): Finding[] => {
    const openMs = (endedAt ?? now) - openedAt
    if (openMs <= longestOpenMs && endedAt !== null) return []
    const about = `${id} ${endedAt === null ? 'is open' : 'was open'} for ${Math.round(openMs / 1000)} s`
    return [{ kind: 'run-open', about, passing: openMs <= longestOpenMs }]
  })
}
