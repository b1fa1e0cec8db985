/** How often each fault is caused: two rounds in every test run, more in `npm run test:faults`. */
export const rounds = Number(process.env.FAULT_ROUNDS ?? 2)

/** How long a server is down: short in every test run, in `npm run test:faults` long enough that all clients notice. */
export const downMs = rounds > 2 ? 60_000 : 15_000

/** The time limit of a test: for each round, plus the time to settle. */
export const limitMs = (msOfRound: number): number => 420_000 + rounds * msOfRound
