import { raw } from '../sql/fragment.ts'
import type { Connection } from './connection.ts'

/** All rows of a statement about the catalog of a server, as text. */
export async function textsOf(connection: Connection, statement: string): Promise<(string | null)[][]> {
  return (await connection.read(raw(statement))).map((row) => row.map(({ text }) => text))
}
