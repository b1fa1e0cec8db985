interface Marker {
  type: string
}

/** Fields that older clients require as text. Without a time zone, markers use UTC. */
const texts: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map([
  ['boundDateTime', { format: '', timeZoneId: 'UTC' }],
  ['boundFileEvent', { dateColumnName: '', timeZoneId: 'UTC' }],
  ['partition', { subType: '' }],
])

/** A marker in an answer: the stored one, plus the texts that clients require. Pure. */
export function shownMarker(marker: Marker | null): (Marker & Record<string, unknown>) | null {
  if (marker === null) return null
  const given = Object.entries(marker).filter(([, value]) => value !== undefined && value !== null)
  return { ...marker, ...texts.get(marker.type), ...Object.fromEntries(given) }
}
