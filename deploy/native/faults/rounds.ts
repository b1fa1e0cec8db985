/** How often each fault is caused: two rounds in every test run, more in `npm run test:faults`. */
export const rounds = Number(process.env.FAULT_ROUNDS ?? 2)

/** How long a server is down: short in every test run, otherwise long enough that every client notices. */
export const awayMs = rounds > 2 ? 60_000 : 15_000

/** The time limit of a test: for each round, plus the time to settle. */
export const limitMs = (msOfRound: number): number => 420_000 + rounds * msOfRound
