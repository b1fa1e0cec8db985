/** The column that Assay adds to bad rows: the ids of the items that the row failed. */
export const idsColumn = '__rule_item_ids'
/** The column of differing rows that lists the names of their changed columns. In CSV it is JSON. */
export const changedColumnsColumn = '__changed_columns'
const reservedNames = new RegExp(`^${idsColumn}(_source)*$`, 'i')

/**
 * The stored name of a column of the dataset. The suffix `_source` is appended to the name of Assay's own column, and
 * to each name that could result from this, so that stored names are always unique.
 */
export function keptName(name: string): string {
  return reservedNames.test(name) ? `${name}_source` : name
}

/**
 * In CSV, texts and names that a spreadsheet would run as a formula have a leading quote (OWASP: CSV injection).
 */
const quotedFormula = /^'(?=[=+\-@\t\r])/

/** The original text or name in the dataset, for one in a CSV file. */
export function unquoted(text: string): string {
  return text.replace(quotedFormula, '')
}
