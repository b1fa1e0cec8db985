/** An object of a store. `key`: the whole key. `version`: its ETag. */
export interface StoredObject {
  key: string
  size: number
  mtimeMs: number
  version: string
}

/** A part of an object: from byte `from` up to but not including `to`. */
export interface ByteRange {
  from: number
  to: number
}

/** The reads of one bucket. Every call throws `unprocessable` with the reason. */
export interface ObjectStore {
  /** The objects whose keys begin with `prefix`, in pages, in the order of keys. `most`: maximum number per page. */
  list(prefix: string, most?: number): AsyncGenerator<StoredObject[]>
  /**
   * The bytes of an object, in parts. Continues after a lost connection. Rejects if the object no longer has this
   * version. `name`: the object's name in messages.
   */
  read(
    object: Pick<StoredObject, 'key' | 'size' | 'version'>,
    name: string,
    range?: ByteRange,
  ): AsyncGenerator<Uint8Array>
}
