/** The column that Assay adds to bad rows: ids of the items that each failed. */
export const idsColumn = '__rule_item_ids'
const likeOurs = new RegExp(`^${idsColumn}(_source)*$`, 'i')

/**
 * The name under which a column of the dataset is kept; one that is called like ours gets `_source` appended. So does
 * each name that could result from that, so no two columns share a name, whatever other columns there are.
 */
export function keptName(name: string): string {
  return likeOurs.test(name) ? `${name}_source` : name
}

/** Texts and names that a spreadsheet would run as a formula (OWASP: CSV injection) are kept in CSV with a quote before them. */
const quotedFormula = /^'(?=[=+\-@\t\r])/

/** A text or a name of a CSV file as the dataset has it. */
export function unquoted(text: string): string {
  return text.replace(quotedFormula, '')
}
