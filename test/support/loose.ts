/** What tests read by path, of many shapes: a wrong path fails the test. */
// biome-ignore lint/suspicious/noExplicitAny: the one place that says so
export type Loose = any;
