export { type Database, openDatabase } from './database.ts'
export { isUniqueViolation, sqliteCode } from './errors.ts'
export { numberIn, numberOrNullIn, type Row, type SqlValue, textIn, textOrNullIn } from './rows.ts'
export type { Statement } from './statement.ts'
