import type { FileFormat } from '../../../dataset.ts'
import type { MountContext } from '../../mount.ts'
import type { DatabaseEngine } from './format.ts'
import type { TableFormat } from './table-formats.ts'

/** A file with a known extension. `relative` uses `/` and is relative to the root. */
export interface FoundFile {
  relative: string
  /** Absolute path. For an object of a store, its address, which no file can have. */
  path: string
  format: FileFormat
  size: number
  mtimeMs: number
  /** The version of an object: its ETag. */
  version?: string
}

/** A file with the signature of SQLite or DuckDB. */
export interface FoundDatabase {
  relative: string
  path: string
  engine: DatabaseEngine
}

/**
 * What exists at the path of a file: a file, a database, or the reason why it cannot be read. Null for anything else.
 */
export type FoundAt = FoundFile | FoundDatabase | { failed: string } | { unread: string } | null

/** Files of one source that are read as one table. */
export interface ReadableFiles {
  name: string
  files: readonly FoundFile[]
}

/** The folders and files of a source, on this machine or in an object store. Paths are relative to its root. */
export interface FileTree {
  /** Absolute path; for a store, an address. Nothing outside of the root is read. */
  root: string
  /** The names in a folder, sorted by code units. */
  names(folder: string): Promise<string[]>
  /** `own`: whether it is a folder of Assay itself. */
  kindOf(relative: string): Promise<'folder' | 'file' | 'own'>
  fileAt(relative: string): Promise<FoundAt>
  /** The format of the table whose folder this is, or null. */
  tableFormatAt(folder: string): Promise<TableFormat | null>
  /** The format of the table that contains a folder, at any depth, or null. */
  tableFormatAround(folder: string): Promise<TableFormat | null>
  /**
   * The files, with paths that the engine can open. Rejects with `unprocessable` if a file may not be read, or has
   * changed since it was found.
   */
  opened(context: MountContext, files: ReadableFiles): Promise<readonly FoundFile[]>
  /** Rejects with `unprocessable` unless every file may still be read. */
  requireReadable(files: ReadableFiles): Promise<void>
  /**
   * Rejects with `unprocessable` if one of the files has changed since it was found. A run reads its files several times,
   * and its results must describe one state of them. `mayGrow`: files may have become longer, and the result says whether
   * one has.
   */
  assertUnchanged(files: ReadableFiles, mayGrow: boolean): Promise<boolean>
}
