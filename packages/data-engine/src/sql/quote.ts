/** A name as an identifier: in double quotes, with inner double quotes doubled. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/**
 * A text as a literal: in single quotes, with inner single quotes doubled. The dialect has no backslash escapes in
 * literals. A literal cannot contain NUL.
 */
export function textLiteral(text: string): string {
  if (text.includes('\0')) return text.split('\0').map(textLiteral).join(' || chr(0) || ')
  return `'${text.replaceAll("'", "''")}'`
}
