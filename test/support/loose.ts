/** Untyped access to response members by path; a wrong path fails the test. */
// biome-ignore lint/suspicious/noExplicitAny: the one place that says so
export type Loose = any;
