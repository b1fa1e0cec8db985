/** A mention as written: the possible names, the longest first, because punctuation may follow a name. */
export type Mention = readonly string[]

/** Code in backticks, as in Markdown: as many backticks end it as began it. */
const code = /(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g
const mention = /(?<![\p{L}\p{N}])@(?:"([^"\n]{1,200})"|([\p{L}\p{N}][\p{L}\p{N}._+@-]{0,199}))/gu
/** Maximum number of mentions of a comment. */
const maxMentions = 100

function candidatesOf(name: string): string[] {
  const candidates = [name]
  for (let shorter = name; /[._+@-]$/.test(shorter); ) {
    shorter = shorter.slice(0, -1)
    candidates.push(shorter)
  }
  return candidates
}

/** The mentions of a comment: `@anna`, `@"two words"`; not behind a letter or digit, and not in backticks. Pure. */
export function mentionsIn(comment: string): Mention[] {
  const text = comment.replaceAll(code, ' ')
  return [...text.matchAll(mention)]
    .slice(0, maxMentions)
    .map(([, quoted, plain = '']) => (quoted === undefined ? candidatesOf(plain) : [quoted.trim()]))
}
