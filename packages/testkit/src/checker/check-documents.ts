import type { Facts, Finding } from './facts.ts'

const shown = 400

/** Two texts, from their first difference on. */
function difference(live: string, rebuilt: string): string {
  let at = 0
  while (at < live.length && live[at] === rebuilt[at]) at += 1
  const from = Math.max(0, at - 60)
  return `${live.slice(from, from + shown)} <> ${rebuilt.slice(from, from + shown)}`
}

/** Checks that documents equal the documents of a rebuild from zero, byte for byte. */
export function checkDocuments({ documents: { live, rebuilt } }: Pick<Facts, 'documents'>): Finding[] {
  const findings: Finding[] = []
  for (const [name, text] of rebuilt) {
    const actual = live.get(name)
    if (actual === undefined) findings.push({ kind: 'missing-document', about: name, isTransient: true })
    else if (actual !== text)
      findings.push({ kind: 'stale-document', about: `${name}: ${difference(actual, text)}`, isTransient: true })
  }
  for (const name of live.keys())
    if (!rebuilt.has(name)) findings.push({ kind: 'foreign-document', about: name, isTransient: true })
  return findings
}
