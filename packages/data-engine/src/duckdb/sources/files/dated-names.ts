import { basename } from 'node:path'

const dates = /(?<!\d)((?:19|20)\d\d)([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)/g

/** The date in a file's name, ISO 8601. `undefined` if there is none, or more than one. */
export function dateInName(path: string): string | undefined {
  const [found, ...others] = [...basename(path).matchAll(dates)]
  if (found === undefined || others.length > 0) return undefined
  const [, year, , month, day] = found
  const date = `${year}-${month}-${day}`
  // There is no 31 June.
  return new Date(`${date}T00:00:00Z`).toISOString().startsWith(date) ? date : undefined
}

/** Whether each file's name has a date, so that the files are versions of one another: at least two different ones. */
export function haveDates(files: readonly { relative: string }[]): boolean {
  const found = files.map(({ relative }) => dateInName(relative))
  return found.every((date) => date !== undefined) && new Set(found).size > 1
}
