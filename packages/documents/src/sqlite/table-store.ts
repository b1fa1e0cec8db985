import type { KnownName, PathDocument, SearchStore } from '../search/candidates.ts'
import type { All, Row, SearchRequest } from './search-request.ts'

function trigramsOf(text: string): string[] {
  const points = Array.from(text)
  const found = points.slice(2).map((_, at) => points.slice(at, at + 3).join(''))
  return [...new Set(found)].slice(0, 30)
}

const list = 'WITH asked(k) AS MATERIALIZED (SELECT value FROM json_each(?))'

/** Words that have one of these typo keys. */
export function wordsLike({ search, tenant }: SearchRequest, all: All, keys: readonly string[]): string[] {
  const sql = `${list} SELECT DISTINCT t.word FROM asked CROSS JOIN ${search.prefix}_typo t ON t.tenant = ? AND t.typo = k`
  return keys.length === 0 ? [] : all(sql, JSON.stringify(keys), tenant).map(([word]) => String(word))
}

/** Finds matching names in the tables. Used for paths, and for names that are not in memory. */
export function tableStore(request: SearchRequest, all: All): SearchStore {
  const { table, search, tenant } = request
  const { prefix, pathColumn, parentColumn, scoreColumn = '0' } = search
  const names = (rows: readonly Row[]): KnownName[] =>
    rows.map(([key, name, folded, squashed]) => ({
      key: Number(key),
      name: String(name),
      folded: String(folded),
      squashed: String(squashed),
    }))
  const fields = 'n.key, n.name, n.folded, n.squashed'
  const upTo = (column: string, end: string | undefined) => (end === undefined ? '' : `AND ${column} < ?`)
  const some = (end: string | undefined) => (end === undefined ? [] : [end])
  const toPathDocuments = (rows: readonly Row[]): PathDocument[] =>
    rows.map(([id, name, path, score]) => ({
      id: typeof id === 'string' ? id : Number(id),
      name: String(name),
      path: String(path),
      score: Number(score),
    }))
  const pathFields = `d.id, n.name, d.${pathColumn}, ${scoreColumn === '0' ? '0' : `d.${scoreColumn}`}`

  return {
    typosAreClose: true,
    tailsAreContained: false,
    exact: async (folded, limit) =>
      names(
        all(
          `${list} SELECT ${fields} FROM asked CROSS JOIN ${prefix}_name n WHERE n.tenant = ? AND n.folded = k LIMIT ?`,
          JSON.stringify(folded),
          tenant,
          limit,
        ),
      ),
    prefix: async ({ from, to }, limit) =>
      names(
        all(
          `SELECT ${fields} FROM ${prefix}_name n WHERE tenant = ? AND squashed >= ? ${upTo('squashed', to)} ORDER BY squashed, key LIMIT ?`,
          tenant,
          from,
          ...some(to),
          limit,
        ),
      ),
    tails: async ({ from, to }, limit) =>
      names(
        all(
          `SELECT ${fields} FROM (SELECT key FROM ${prefix}_tail WHERE tenant = ? AND tail >= ? ${upTo('tail', to)}
             ORDER BY tail, key LIMIT ?) t CROSS JOIN ${prefix}_name n ON n.key = t.key`,
          tenant,
          from,
          ...some(to),
          limit,
        ),
      ),
    containing: async (squashed, limit) => {
      const trigrams = trigramsOf(squashed)
      if (trigrams.length === 0)
        return names(
          all(
            `SELECT ${fields} FROM ${prefix}_name n WHERE tenant = ? AND instr(squashed, ?) > 0 ORDER BY key LIMIT ?`,
            tenant,
            squashed,
            limit,
          ),
        )
      const match = trigrams.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ')
      return names(
        all(
          `SELECT ${fields} FROM ${prefix}_fts f CROSS JOIN ${prefix}_name n ON n.key = f.rowid
             WHERE ${prefix}_fts MATCH ? AND n.tenant = ? AND instr(n.squashed, ?) > 0 LIMIT ?`,
          match,
          tenant,
          squashed,
          limit,
        ),
      )
    },
    typos: async (keys, isClose, limit) => {
      const close = wordsLike(request, all, keys).filter(isClose)
      if (close.length === 0) return []
      return names(
        all(
          `${list} SELECT DISTINCT ${fields} FROM asked CROSS JOIN ${prefix}_word w ON w.tenant = ? AND w.word = k
             CROSS JOIN ${prefix}_name n ON n.key = w.key LIMIT ?`,
          JSON.stringify(close),
          tenant,
          limit,
        ),
      )
    },
    ofPath: async (path) =>
      pathColumn === undefined
        ? []
        : toPathDocuments(
            all(
              `SELECT ${pathFields} FROM ${table} d JOIN ${prefix}_name n ON n.key = d.s_name
                 WHERE d.tenant = ? AND d.${pathColumn} = ? AND d.removed = 0 LIMIT 10`,
              tenant,
              path,
            ),
          ),
    ofNames: async (keys, limit) =>
      pathColumn === undefined
        ? []
        : toPathDocuments(
            all(
              `${list} SELECT ${pathFields} FROM asked CROSS JOIN ${table} d ON d.s_name = k AND d.removed = 0
                 CROSS JOIN ${prefix}_name n ON n.key = k LIMIT ?`,
              JSON.stringify(keys),
              limit,
            ),
          ),
    children: async (parents, { from, to }, limit) =>
      pathColumn === undefined || parentColumn === undefined
        ? []
        : toPathDocuments(
            all(
              `${list} SELECT ${pathFields} FROM asked
                 CROSS JOIN ${table} d ON d.tenant = ? AND d.${parentColumn} = k AND d.removed = 0
                 CROSS JOIN ${prefix}_name n ON n.key = d.s_name AND n.folded >= ? ${upTo('n.folded', to)} LIMIT ?`,
              JSON.stringify(parents),
              tenant,
              from,
              ...some(to),
              limit,
            ),
          ),
  }
}
