/** The column that Assay adds to bad rows: ids of the items that each failed. */
export const idsColumn = '__rule_item_ids'
const likeOurs = new RegExp(`^${idsColumn}(_source)*$`, 'i')

/**
 * The stored name of a column of the dataset: `_source` is appended to the name of Assay's own column. It is also
 * appended to each name that could result from that, so no two columns share a name, whatever other columns there are.
 */
export function keptName(name: string): string {
  return likeOurs.test(name) ? `${name}_source` : name
}

/**
 * CSV stores texts and names that a spreadsheet would run as a formula with a quote before them (OWASP: CSV injection).
 */
const quotedFormula = /^'(?=[=+\-@\t\r])/

/** A text or name of a CSV file as it is in the dataset. */
export function unquoted(text: string): string {
  return text.replace(quotedFormula, '')
}
