/** Replaces every value of a protected column, including NULL. */
export const maskText = '***'

/** Engine errors that may quote values of rows: all except those that concern a definition or a file. */
const errorsAboutRows =
  /(?<!\b(?:Binder|Catalog|Parser|Syntax|IO|Permission|Out of Memory|Not implemented) )\bError: [\s\S]*$/

/**
 * An error message that everybody may read. Removes the engine's text about a row, because it quotes the row's values
 * (`Could not convert string 'x'`) or values computed from them (`error(x)`). Pure.
 */
export function withoutValues(sentence: string): string {
  return sentence.replace(errorsAboutRows, 'Error. The details are hidden because they may contain protected values.')
}
