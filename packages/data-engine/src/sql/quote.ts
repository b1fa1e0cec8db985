/** A name as an identifier: in double quotes, those inside doubled. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A text as a literal: in single quotes, those inside doubled. The dialect knows no backslash escapes in it. NUL cannot be written so. */
export function textLiteral(text: string): string {
  if (text.includes('\0')) return text.split('\0').map(textLiteral).join(' || chr(0) || ')
  return `'${text.replaceAll("'", "''")}'`
}
