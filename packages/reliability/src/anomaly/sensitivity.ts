/** HIGH fires most. */
export type Sensitivity = 'HIGH' | 'MEDIUM' | 'LOW'

/** Robust standard deviations from the expected value at which a point fires (decision 102). */
export const limits: Readonly<Record<Sensitivity, number>> = { HIGH: 3.5, MEDIUM: 5, LOW: 7 }
