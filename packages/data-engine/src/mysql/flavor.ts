import { AssayError } from '@assay/service-kit/errors'

/** Which of the two servers it is. They differ little. */
export type Flavor = 'MariaDB' | 'MySQL'

/** A collation that compares by code points and does not ignore trailing blanks. */
export const exactCollation: { readonly [flavor in Flavor]: string } = {
  MariaDB: 'utf8mb4_nopad_bin',
  MySQL: 'utf8mb4_0900_bin',
}

/**
 * The server, from its version. Throws `unprocessable` for old versions: MariaDB 10.3 and MySQL 8.0.17 are the first
 * with everything that the statements need.
 */
export function flavorOf(version: string): Flavor {
  const [, major = 0, minor = 0, patch = 0] = (/(\d+)\.(\d+)\.(\d+)/.exec(version.replace(/^5\.5\.5-/, '')) ?? []).map(
    Number,
  )
  const flavor = /mariadb/i.test(version) ? 'MariaDB' : 'MySQL'
  const number = major * 10_000 + minor * 100 + patch
  if (number >= (flavor === 'MariaDB' ? 100_300 : 80_017)) return flavor
  const needed = 'Assay reads MariaDB 10.3 and MySQL 8.0.17 and later.'
  throw new AssayError('unprocessable', `The server is ${flavor} ${major}.${minor}.${patch}. ${needed}`)
}
