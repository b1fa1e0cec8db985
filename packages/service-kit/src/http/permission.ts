import type { Operation } from '@assay/contracts'
import { AssayError } from '../errors.ts'
import type { Identity } from './handler.ts'

/** Throws the operation's refusal if the caller lacks a permission: `forbidden`, or `not-found`. */
export function assertPermitted(operation: Operation, { permissions }: Identity): void {
  if (operation.permissions.every((permission) => permissions.has(permission))) return
  const missing = operation.permissions.filter((permission) => !permissions.has(permission))
  throw new AssayError(
    operation.deniedStatus === 404 ? 'not-found' : 'forbidden',
    operation.denied ?? `This key lacks the permission${missing.length > 1 ? 's' : ''} ${missing.join(', ')}.`,
  )
}
