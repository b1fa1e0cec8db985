/** How often each fault is made: two rounds in every run of the tests, more in `npm run test:faults`. */
export const rounds = Number(process.env.FAULT_ROUNDS ?? 2)

/** How long a server is away: short in every run of the tests, else long enough that everybody notices. */
export const awayMs = rounds > 2 ? 60_000 : 15_000

/** For the time limit of a test: for each round, and what settling may take. */
export const limitMs = (msOfRound: number): number => 420_000 + rounds * msOfRound
