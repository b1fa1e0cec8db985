/** A change of one file. */
export interface Edit {
  /** Path of the changed file, from the root of the checkout. */
  file: string
  /** The text to replace, which occurs in the file exactly once. */
  text: string
  by: string
}

/** A protection that is removed on purpose, to prove that a fault test finds its absence. */
export interface Sabotage extends Edit {
  /** Unique; selects it on the command line. */
  name: string
  /** The fault, as the tests name it. */
  fault: string
  /** Path of the test file from the root of the checkout. */
  spec: string
  /** The prefix of the names of the tests to run, after the names of their suites; absent: all tests of the file. */
  test?: string
  /** The change that removes a second protection, if either of the two suffices. */
  alsoOff?: Edit
  /** The damage without the protection. */
  loss: string
  /** A text that the message of the failed assertion must contain. */
  says: RegExp
}

/** All changes of a sabotage. */
export const editsOf = ({ file, text, by, alsoOff }: Sabotage): Edit[] => [
  { file, text, by },
  ...(alsoOff === undefined ? [] : [alsoOff]),
]

/** The text of the file after the change. Throws unless the text to replace occurs exactly once. */
export function edited(source: string, { file, text, by }: Edit): string {
  const times = source.split(text).length - 1
  if (times !== 1)
    throw new Error(`The text that a sabotage replaces occurs ${times} times in ${file}, not once: ${text}`)
  const at = source.indexOf(text)
  return source.slice(0, at) + by + source.slice(at + text.length)
}
