import { AssayError } from '@assay/service-kit/errors'

/** A 400 whose message begins with the path of the field, such as `items[2].value.pattern`. */
export function refusal(path: string, message: string): AssayError {
  return new AssayError('invalid', `${path}: ${message}`, { details: { field: path } })
}
