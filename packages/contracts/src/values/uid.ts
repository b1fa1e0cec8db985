/**
 * A UID without the number that the catalog appends if the UID is taken. The UIDs of a table's columns lack this
 * number.
 */
export function unnumbered(uid: string): string {
  return uid.replace(/~\d+$/, '')
}
