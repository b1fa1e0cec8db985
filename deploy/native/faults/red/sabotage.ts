/** A change of one file. */
export interface Edit {
  /** Path of the file that is changed, from the root of the checkout. */
  file: string
  /** Stands in that file exactly once. */
  text: string
  by: string
}

/** A protection switched off on purpose, to see that a fault test finds what it protects from. */
export interface Sabotage extends Edit {
  /** Unique; what the run is asked for by. */
  name: string
  /** The fault, of those that the tests make. */
  fault: string
  /** Path of the test file from the root of the checkout. */
  spec: string
  /** What the names of the tests that are run begin with, behind the names of their suites; absent: all of the file. */
  test?: string
  /** Where two protections stand for each other, the change that switches off the second. */
  alsoOff?: Edit
  /** What is lost without the protection. */
  loss: string
  /** What the message of the failed assertion has to say. */
  says: RegExp
}

/** All changes of a sabotage. */
export const editsOf = ({ file, text, by, alsoOff }: Sabotage): Edit[] => [
  { file, text, by },
  ...(alsoOff === undefined ? [] : [alsoOff]),
]

/** The text of the file as it is changed. Throws when the text to replace does not stand there exactly once. */
export function edited(source: string, { file, text, by }: Edit): string {
  const times = source.split(text).length - 1
  if (times !== 1) throw new Error(`What a sabotage replaces stands ${times} times in ${file}, not once: ${text}`)
  const at = source.indexOf(text)
  return source.slice(0, at) + by + source.slice(at + text.length)
}
