/** Replaces every value of a protected column, NULL included. */
export const maskText = '***'

/** Kinds of the engine's errors that come of what people wrote or of files, not of a value. */
const engineWords =
  /(?<!\b(?:Binder|Catalog|Parser|Syntax|IO|Permission|Out of Memory|Not implemented) )\bError: [\s\S]*$/

/**
 * A sentence on a failure as it may be told to anybody: what the engine says of a row that it stumbled over holds the row's
 * values (`Could not convert string 'x'`), or whatever an expression made of them (`error(x)`). Pure.
 */
export function withoutValues(sentence: string): string {
  return sentence.replace(engineWords, 'Error. More is not told here, for it may hold protected values.')
}
