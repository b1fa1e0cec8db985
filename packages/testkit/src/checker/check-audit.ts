import type { AuditedWrite, AuditLineSeen, Facts, Fields, Finding } from './facts.ts'

/** Whether a line contains all wanted fields. */
function contains(actual: unknown, wanted: Fields | null): boolean {
  if (wanted === null || actual === null || typeof actual !== 'object') return actual === null && wanted === null
  const fields = new Map(Object.entries(actual))
  return Object.entries(wanted).every(([name, value]) => JSON.stringify(fields.get(name)) === JSON.stringify(value))
}

function ofLine(write: AuditedWrite, line: AuditLineSeen): Finding[] {
  const wrong = [
    ...(['tenant', 'at', 'actor', 'accessKey'] as const).filter((field) => line[field] !== write[field]),
    ...(['before', 'after'] as const).filter((field) => !contains(line[field], write[field])),
  ]
  const texts = wrong.map((field) => `${field} ${JSON.stringify(line[field])} for ${JSON.stringify(write[field])}`)
  if (texts.length === 0) return []
  return [{ kind: 'changed-audit', about: `${write.id}: ${texts.join(', ')}`, isTransient: false }]
}

/** Checks that each write has one line with the right actor, time, key and changes, and that no event has two lines. */
export function checkAudit({ audit }: Pick<Facts, 'audit'>): Finding[] {
  const byId = new Map(audit.lines.map((line) => [line.id, line]))
  const byPosition = Map.groupBy(audit.lines, ({ position }) => position)
  return [
    ...audit.writes.flatMap((write): Finding[] => {
      const line = byId.get(write.id)
      return line === undefined ? [{ kind: 'lost-audit', about: write.id, isTransient: true }] : ofLine(write, line)
    }),
    ...[...byPosition.values()].flatMap((lines): Finding[] => {
      if (lines.length === 1) return []
      return [{ kind: 'doubled-audit', about: lines.map(({ id }) => id).join(' and '), isTransient: false }]
    }),
  ]
}
