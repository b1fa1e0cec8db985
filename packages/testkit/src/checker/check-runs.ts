import type { Facts, Finding } from './facts.ts'

/** Maximum time for which a run may be open, whatever happens to its workers. */
const maxOpenMs = 120_000

/** Checks that no run has acquired a resource while another run held it. */
function overlaps(runs: Facts['runs']): Finding[] {
  const held = runs.flatMap(({ id, holds }) => (holds === undefined ? [] : [{ id, ...holds }]))
  return [...Map.groupBy(held, ({ resource }) => resource)].flatMap(([resource, holders]) => {
    const inOrder = holders.toSorted((one, other) => one.from - other.from)
    return inOrder.flatMap((later, index): Finding[] => {
      const before = inOrder.slice(0, index).find(({ until }) => until === null || until > later.from)
      if (before === undefined) return []
      return [
        { kind: 'runs-overlap', about: `${later.id} took ${resource}, which ${before.id} held`, isTransient: false },
      ]
    })
  })
}

/** Checks that no run was open for longer than two minutes, that none is still open, and that no two overlap. */
export function checkRuns({ runs, now }: Pick<Facts, 'runs' | 'now'>): Finding[] {
  const open = runs.flatMap(({ id, openedAt, endedAt }): Finding[] => {
    const openMs = (endedAt ?? now) - openedAt
    if (openMs <= maxOpenMs && endedAt !== null) return []
    const about = `${id} ${endedAt === null ? 'is open' : 'was open'} for ${Math.round(openMs / 1000)} s`
    return [{ kind: 'run-open', about, isTransient: openMs <= maxOpenMs }]
  })
  return [...open, ...overlaps(runs)]
}
