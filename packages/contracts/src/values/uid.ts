/** A UID without the number that the catalog appends if it is taken; the UIDs of a table's columns lack it. */
export function unnumbered(uid: string): string {
  return uid.replace(/~\d+$/, '')
}
