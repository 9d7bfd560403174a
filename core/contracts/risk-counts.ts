/** How many items the rules of session risk remember at most. */
export const maxCounted = { secrets: 16, failures: 16, deletes: 16, places: 24, attempts: 16, reviews: 200 } as const;
