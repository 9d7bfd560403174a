/** Maximum numbers of items that the session risk rules remember. */
export const maxCounted = { secrets: 16, failures: 16, deletes: 16, places: 24, attempts: 16, reviews: 200 } as const;
