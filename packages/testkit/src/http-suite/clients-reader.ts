import { z } from 'zod'

/**
 * Three existing client libraries. A checks every type, B only needs the keys, and C refuses additional keys in some
 * records.
 */
export const clients = ['A', 'B', 'C'] as const
export type Client = (typeof clients)[number]

/** For each client, a schema that accepts exactly the answers that the client reads without raising. */
export type Reader = Readonly<Record<Client, z.ZodType>>

export function byClient(make: (client: Client) => z.ZodType): Reader {
  return { A: make('A'), B: make('B'), C: make('C') }
}

type Shape = Readonly<Record<string, z.ZodType | Reader>>

const isSchema = (value: z.ZodType | Reader): value is z.ZodType => value instanceof z.ZodType

/** A key with any value. */
export const anyValue = z.custom<unknown>((value) => value !== undefined, 'the key is absent')

function fieldsFor(client: Client, shape: Shape): Record<string, z.ZodType> {
  const fields = Object.entries(shape).map(([name, field]): [string, z.ZodType] => {
    if (isSchema(field)) return [name, client === 'A' ? field : anyValue]
    return [name, client === 'A' ? field.A : field[client].nullable()]
  })
  return Object.fromEntries(fields)
}

/** An open record: A needs each field with its type; B and C need the keys and accept null. */
export function record(shape: Shape, more: Partial<Record<Client, Shape>> = {}): Reader {
  return byClient((client) => z.object({ ...fieldsFor(client, shape), ...fieldsFor(client, more[client] ?? {}) }))
}

/** A record with the same types for all clients and no additional keys. */
export function closed(shape: Shape): Reader {
  return byClient((client) =>
    z.strictObject(
      Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, isSchema(field) ? field : field[client]])),
    ),
  )
}

/** A list that is never null or absent for any client. */
export function listOf(reader: Reader | z.ZodType): Reader {
  return byClient((client) => z.array(isSchema(reader) ? reader : reader[client]))
}

/** Accepts null or nothing instead of the record. */
export function maybe(reader: Reader): Reader {
  return byClient((client) => reader[client].nullish())
}

/** An object with these fields, each checked by the schema of the client. */
export function objectWith(shape: Shape): Reader {
  return byClient((client) =>
    z.object(
      Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, isSchema(field) ? field : field[client]])),
    ),
  )
}

export const text = z.string()
export const integer = z.int()
export const number = z.number()
export const flag = z.boolean()
export const time = z.union([z.iso.datetime({ offset: true }), z.int()])
export const free = z.record(z.string(), z.unknown())
export const paging = objectWith({ count: integer, page: integer, size: integer })

/** The faults of a body for a client; empty if it can read all of it. */
export function cannotRead(reader: Reader, client: Client, body: unknown): string[] {
  const { error } = reader[client].safeParse(body)
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`)
}
