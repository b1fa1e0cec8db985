/** A long statement that runs at a source. */
export interface StartedStatement {
  /** Identifies the text of the statement, its server and its user. */
  digest: string
  /** How the engine continues the statement. A secret, because it gives access to the rows. */
  reference: string
}

/**
 * The long statements of a piece of work, so that a worker that takes the work over can continue them. Engines whose
 * statements end with their connection ignore it.
 */
export interface StartedStatements {
  /** Statements that an earlier worker started, without those that were taken. */
  left(): readonly StartedStatement[]
  /** Takes one of the statements that are left, to continue or to cancel it. */
  take(statement: StartedStatement): void
  /** Keeps a statement in place of an earlier reference to it. Rejects if another worker has taken over. */
  note(statement: StartedStatement): Promise<void>
  /** Whether no other worker has taken over. False if this is unknown. */
  isOurs(): Promise<boolean>
}
