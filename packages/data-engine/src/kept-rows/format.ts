/** The column that Assay adds to bad rows: ids of the items that each failed. */
export const idsColumn = '__rule_item_ids'

/** The name under which a column of the dataset is kept; one that is called like ours has another. */
export function keptName(name: string): string {
  return name.toLowerCase() === idsColumn ? `${name}_source` : name
}

/** Texts and names that a spreadsheet would run as a formula (OWASP: CSV injection) are kept in CSV with a quote before them. */
const quotedFormula = /^'(?=[=+\-@\t\r])/

/** A text or a name of a CSV file as the dataset has it. */
export function unquoted(text: string): string {
  return text.replace(quotedFormula, '')
}
