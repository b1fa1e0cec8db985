interface Marker {
  type: string
}

/** Fields that older clients require as text. The zone is the default of markers without one. */
const texts: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map([
  ['boundDateTime', { format: '', timeZoneId: 'UTC' }],
  ['boundFileEvent', { dateColumnName: '', timeZoneId: 'UTC' }],
  ['partition', { subType: '' }],
])

/** A marker as answers show it: as it was given, plus the texts that clients require. Pure. */
export function shownMarker(marker: Marker | null): (Marker & Record<string, unknown>) | null {
  if (marker === null) return null
  const given = Object.entries(marker).filter(([, value]) => value !== undefined && value !== null)
  return { ...marker, ...texts.get(marker.type), ...Object.fromEntries(given) }
}
