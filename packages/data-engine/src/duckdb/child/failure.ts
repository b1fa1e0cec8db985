import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'
import { sentenceOf } from './sentences.ts'

/**
 * Translates a driver's error, whose kind is the text before the first colon. `hidden`: folders whose names must not
 * appear in the message.
 */
export function engineFailure(error: unknown, hidden: readonly string[] = []): AssayError {
  if (error instanceof AssayError) return error
  const text = messageOf(error)
  if (/^Out of Memory Error/.test(text)) {
    const space = /max_temp_directory_size|offload|disk/i.test(text) ? 'memory or temporary space' : 'memory'
    const sentence = `The run needed more ${space} than it may use. Raise the limit or read fewer rows.`
    return new AssayError('too-large', sentence, { cause: error })
  }
  const code = /^(Binder|Catalog|Parser|Syntax) Error/.test(text) ? 'invalid' : 'unprocessable'
  return new AssayError(code, engineMessage(error, hidden), { cause: error })
}

/** The message for people: a sentence of Assay, never a driver text or a host folder. */
export function engineMessage(error: unknown, hidden: readonly string[] = []): string {
  const sentence = isAssayError(error) ? error.message : sentenceOf(messageOf(error))
  const clean = hidden
    .filter((folder) => folder.length > 1)
    .reduce((text, folder) => text.replaceAll(folder, '…'), sentence)
  return clean.slice(0, 1000).trim()
}
