interface Marker {
  type: string
}

/** What older clients take for text, absent or not; the zone is the one that a marker without one is read in. */
const texts: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map([
  ['boundDateTime', { format: '', timeZoneId: 'UTC' }],
  ['boundFileEvent', { dateColumnName: '', timeZoneId: 'UTC' }],
  ['partition', { subType: '' }],
])

/** A marker as answers show it: as it was given, and with the texts that clients cannot do without. Pure. */
export function shownMarker(marker: Marker | null): (Marker & Record<string, unknown>) | null {
  if (marker === null) return null
  const given = Object.entries(marker).filter(([, value]) => value !== undefined && value !== null)
  return { ...marker, ...texts.get(marker.type), ...Object.fromEntries(given) }
}
