/** The first time in the recorded examples. The times of the run follow it in order. */
const base = Date.parse('2026-11-20T10:00:00.000Z')
const stepMs = 250
const dayMs = 86_400_000
/** Maximum length of a list in an example. Longer lists are truncated, because their elements are similar. */
const maxElements = 3

interface Run {
  /** The folder of the sources. */
  folder: string
  startedAt: number
  endedAt: number
}

/** Replaces each match of a pattern by a name with its number, in order of appearance. Equal matches get equal names. */
function renamed(text: string, pattern: RegExp, nameOf: (number: number, found: string) => string): string {
  const names = new Map<string, string>()
  return text.replace(pattern, (found) => {
    const name = names.get(found) ?? nameOf(names.size + 1, found)
    names.set(found, name)
    return name
  })
}

const padded = (number: number, length: number) => String(number).padStart(length, '0')

/**
 * Moves the times of the run to the times after `base`, in order. Moves later times, which come from schedules, by
 * whole days.
 */
function timesIn(text: string, { startedAt, endedAt }: Run): string {
  const iso = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g
  const epoch = /(?<=[:[,])1\d{12}(?=[,}\]])/g
  const found = [...text.matchAll(iso)].map(([each]) => Date.parse(each))
  const all = [...found, ...[...text.matchAll(epoch)].map(([each]) => Number(each))]
  const ofRun = [...new Set(all.filter((time) => time >= startedAt && time <= endedAt))].toSorted(
    (one, other) => one - other,
  )
  const newTimes = new Map(ofRun.map((time, index) => [time, base + index * stepMs]))
  const days = Math.floor(base / dayMs) - Math.floor(startedAt / dayMs)
  const moved = (time: number): number =>
    newTimes.get(time) ?? (time > endedAt && time < endedAt + 40 * dayMs ? time + days * dayMs : time)
  const day = (time: number) => new Date(time).toISOString().slice(0, 10)
  return text
    .replace(iso, (each) => new Date(moved(Date.parse(each))).toISOString())
    .replace(epoch, (each) => String(moved(Number(each))))
    .replace(new RegExp(`(?<=/)(${day(startedAt)}|${day(endedAt)})(?=/)`, 'g'), day(base))
}

function cut(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, maxElements).map(cut)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cut(each)]))
}

/**
 * The examples with stable values for everything that differs between runs: times, random ids, keys and the folder. Equal
 * values stay equal. Pure.
 */
export function stable<T>(examples: T, run: Run): T {
  const text = JSON.stringify(cut(examples))
    .replaceAll(run.folder, '/srv')
    .replaceAll('assay-test-access-key', 'assay_ak_admin')
  const uuid = /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g
  const named = renamed(text, uuid, (number) => `5d1c9f20-7a3e-4b68-9c04-${padded(number, 12)}`)
  const traced = renamed(
    named,
    /\b00-[0-9a-f]{32}-[0-9a-f]{16}-/g,
    (number) => `00-${padded(number, 32)}-${padded(number, 16)}-`,
  )
  const keyed = renamed(
    traced,
    /\bassay_[as]k_[A-Za-z0-9]{20,}\b/g,
    (number, found) => `${found.slice(0, 9)}example${padded(number, 4)}`,
  )
  const signed = renamed(
    keyed,
    /\bwhsec_[A-Za-z0-9+/]{43}=/g,
    (number) => `whsec_${Buffer.from(`example secret of a webhook, ${padded(number, 4)}`).toString('base64')}`,
  )
  // The time of an attempt, the stored bytes, and when a client reconnects, depend on the run.
  const counted = signed
    .replace(/(?<="storedBytes":)[1-9]\d*/g, '48211')
    .replace(/(?<="latencyMs":)\d+/g, '48')
    .replace(/(?<="retry: )\d+(?=\\n)/g, '2317')
  return JSON.parse(timesIn(counted, run))
}
