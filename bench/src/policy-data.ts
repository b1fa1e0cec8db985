import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import path from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'

export const countries: readonly string[] = Array.from(
  { length: 200 },
  (_, index) => `C${String(index).padStart(3, '0')}`,
)
export const statuses: readonly string[] = ['NEW', 'PAID', 'SENT', 'DONE', 'BACK']
export const emailPattern = '[a-z0-9._-]+@[a-z0-9-]+(\\.[a-z0-9-]+)+'

const folder = path.join(import.meta.dirname, '..', '.data')

/** A reproducible pseudo-random number from 0 to `below` - 1: a hash of the row and a salt. */
function some(salt: number, below: number): string {
  return `CAST(hash(i * 31 + ${salt}) % ${below} AS BIGINT)`
}

/** Ten mixed columns. Each kind of fault occurs in a few rows of a hundred or a thousand. */
function ordersSql(rows: number): string {
  // Every 400th row repeats the customer and the time of the previous row.
  const source = `CASE WHEN i % 400 = 399 THEN i - 1 ELSE i END`
  const customers = Math.max(10, Math.floor(rows / 5))
  return `SELECT i + 1 AS order_id,
    CAST(hash((${source}) * 31 + 1) % ${customers} AS BIGINT) + 1 AS customer_id,
    CASE WHEN ${some(2, 1000)} < 2 THEN NULL WHEN ${some(3, 1000)} < 22 THEN 'user' || ${some(4, 1e6)} || ' at mail'
      ELSE 'user' || ${some(4, 1e6)} || '.' || ${some(5, 1000)} || '@mail' || ${some(6, 50)} || '.example.com' END AS email,
    CASE WHEN ${some(7, 1000)} < 5 THEN 'XX' ELSE 'C' || lpad(CAST(${some(8, 200)} AS VARCHAR), 3, '0') END AS country,
    CASE WHEN ${some(9, 100)} < 1 THEN NULL WHEN ${some(10, 1000)} < 3 THEN CAST(-1.5 AS DECIMAL(12,3))
      WHEN ${some(11, 1000)} < 4 THEN CAST(${some(12, 1e6)} / 1000.0 AS DECIMAL(12,3)) ELSE CAST(${some(12, 1e6)} / 100.0 AS DECIMAL(12,3)) END AS amount,
    CAST(CASE WHEN ${some(13, 1000)} < 3 THEN 0 ELSE ${some(14, 100)} + 1 END AS INTEGER) AS quantity,
    TIMESTAMP '2021-01-01' + to_seconds(CAST(hash((${source}) * 31 + 15) % 157680000 AS BIGINT)) AS created_at,
    CASE WHEN ${some(16, 1000)} < 2 THEN 'LOST' ELSE ['NEW','PAID','SENT','DONE','BACK'][${some(17, 5)} + 1] END AS status,
    CASE WHEN ${some(18, 1000)} < 10 THEN ' 42 ' WHEN ${some(18, 1000)} < 20 THEN '12.7' ELSE CAST(${some(19, 1e6)} AS VARCHAR) END AS code,
    repeat('lorem ipsum ', CAST(${some(20, 4)} AS INTEGER)) || CAST(${some(21, 1e4)} AS VARCHAR) AS note
  FROM range(${rows}) t(i)`
}

/** Writes the rows of a query to a zstd Parquet file in `.data`, unless it exists. Returns its absolute path. */
async function writeOnce(name: string, query: string): Promise<string> {
  const file = path.join(folder, `${name}.parquet`)
  if (existsSync(file)) return file
  await mkdir(folder, { recursive: true })
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(`COPY (${query}) TO '${file}.part' (FORMAT parquet, COMPRESSION zstd)`)
  connection.closeSync()
  instance.closeSync()
  await rename(`${file}.part`, file)
  return file
}

export const ordersFile = (rows: number) => writeOnce(`orders-${rows}`, ordersSql(rows))

/**
 * Visits with mostly bad rows: of 10,000,000 rows, 9,000,000 repeat an account, 6,800,000 have a `reference` that is not a
 * whole number, and 3,000,000 have no `referrer`.
 */
function visitsSql(rows: number): string {
  // Every 250th row repeats the account and the time of the previous row.
  const source = `CASE WHEN i % 250 = 249 THEN i - 1 ELSE i END`
  const accounts = Math.max(10, Math.floor(rows / 10))
  return `SELECT i * 3 + 1000 AS visit_id,
    CAST(hash((${source}) * 31 + 41) % ${accounts} AS BIGINT) * 7 + 100000 AS account_id,
    CASE WHEN ${some(42, 1000)} < 12 THEN 'visitor' || ${some(43, 1e7)} || '(at)example.org'
      ELSE ['anna','b.okafor','chen_li','d-silva','eva+news'][${some(44, 5)} + 1] || ${some(43, 1e7)} || '@' || ['example','post','web-mail','corp'][${some(45, 4)} + 1] || ${some(46, 90)} || ['.org','.com','.co.uk','.io'][${some(47, 4)} + 1] END AS email,
    CASE WHEN ${some(48, 1000)} < 8 THEN 'ZZ' ELSE 'C' || lpad(CAST(${some(49, 200)} AS VARCHAR), 3, '0') END AS country,
    TIMESTAMP '2022-06-01' + to_milliseconds(CAST(hash((${source}) * 31 + 50) % 94608000000 AS BIGINT)) AS seen_at,
    CAST(${some(51, 3600)} - 2 AS INTEGER) AS seconds,
    CASE WHEN ${some(52, 100)} < 2 THEN NULL ELSE CAST(${some(53, 500000)} / 1000.0 AS DECIMAL(12,3)) END AS price,
    CASE WHEN ${some(54, 100)} < 32 THEN CAST(${some(55, 1e8)} AS VARCHAR) WHEN ${some(54, 100)} < 70 THEN 'R-' || ${some(55, 1e8)} ELSE ${some(55, 1e6)} || '.5' END AS reference,
    CASE WHEN ${some(56, 100)} < 30 THEN NULL ELSE 'https://www.example.com/' || ${some(57, 5000)} || '/' || repeat('a', CAST(${some(58, 12)} AS INTEGER)) END AS referrer,
    ['desktop','mobile','tablet','tv','bot'][${some(59, 5)} + 1] AS device
  FROM range(${rows}) t(i)`
}

export const visitsFile = (rows: number) => writeOnce(`visits-${rows}`, visitsSql(rows))
