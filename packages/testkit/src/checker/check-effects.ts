import type { Facts, Finding } from './facts.ts'

/** Checks that every expected effect of an event in another service exists exactly once. */
export function checkEffects({ expectedEffects, effects }: Pick<Facts, 'expectedEffects' | 'effects'>): Finding[] {
  const counts = new Map<string, number>()
  for (const { cause } of effects) counts.set(cause, (counts.get(cause) ?? 0) + 1)
  const wanted = new Set(expectedEffects.map(({ cause }) => cause))
  const lost = [...wanted].filter((cause) => !counts.has(cause))
  return [
    ...lost.map((cause): Finding => ({ kind: 'lost-effect', about: cause, isTransient: true })),
    ...[...counts].flatMap(([cause, count]): Finding[] => {
      if (!wanted.has(cause)) return [{ kind: 'foreign-effect', about: cause, isTransient: true }]
      return count === 1 ? [] : [{ kind: 'doubled-effect', about: `${cause}: ${count} times`, isTransient: false }]
    }),
  ]
}
