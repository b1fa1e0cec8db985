/** The ids of the last messages of one partition. */
export interface RememberedIds {
  /** Answers false if the id is known. */
  add(id: string): boolean
}

/** Keeps the `most` newest ids. */
export function createRememberedIds(most: number): RememberedIds {
  const ids = new Set<string>()
  return {
    add(id) {
      if (ids.has(id)) return false
      ids.add(id)
      if (ids.size > most) for (const oldest of ids) return ids.delete(oldest)
      return true
    },
  }
}
