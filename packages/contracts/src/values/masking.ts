/** Replaces every value of a protected column, including NULL. */
export const maskText = '***'

/** Engine errors about a definition or a file; they never quote values of rows. */
const engineWords =
  /(?<!\b(?:Binder|Catalog|Parser|Syntax|IO|Permission|Out of Memory|Not implemented) )\bError: [\s\S]*$/

/**
 * An error message that everybody may read: the engine's text about a row contains the row's values (`Could not convert
 * string 'x'`), or whatever an expression made of them (`error(x)`). Pure.
 */
export function withoutValues(sentence: string): string {
  return sentence.replace(engineWords, 'Error. The details are hidden because they may contain protected values.')
}
