/** What an error means is read of its class and fields. Its name is read in one helper, for errors of other libraries. */
import { globSync, readFileSync } from 'node:fs';

const sources = globSync('{core,adapters,lambdas,bin,operator,lib,console}/**/*.{ts,tsx}');

/** Comparisons with, and assignments of, the name of an error or of its class. */
const readings = [
  /\bname\)?\s*[!=]==\s*'[A-Z]\w*(?:Error|Exception|Fault|Failure|Failed|Refused|Outcome)'/,
  /\bname\)?\s*[!=]==\s*'(?:NoSuchKey|[A-Z]\w*Violation)'/,
  /'[A-Z]\w*(?:Error|Exception|Fault|Outcome)'\]\.includes\([^;]*\bname\b/,
  /(?:cause|fault|thrown|error|failure|reason)\b[^;\n]*\.name\s*[!=]==\s*['"]/,
  /\.constructor\.name\b/,
  /(?<!this)\.name = ['"]/,
  /Object\.assign\(new \w*Error\([^\n]*\bname: ['"]/,
];

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;

const found = (path: string, text: string): string[] =>
  readings.flatMap((reading) =>
    [...text.matchAll(new RegExp(reading, 'g'))].map(({ index }) => `${path}:${lineOf(text, index)}`),
  );

test('[repository.error-names] the name of an error is compared only in the helper for errors of other libraries', () => {
  expect(sources.length).toBeGreaterThan(1_000);
  expect(sources.flatMap((path) => found(path, readFileSync(path, 'utf8')))).toEqual([]);
});

test.each([
  "if ((cause as Error).name === 'ConditionalCheckFailedException') return;",
  "const late = (ends.reason as { name?: string })?.name === 'TimeoutError';",
  "if (name !== 'TransactionCanceledException') return;",
  "if (thrown.constructor.name === 'Refused') return;",
  "fault.name = 'UnknownOutcome';",
  "throw Object.assign(new Error(text), { name: 'UnknownOutcome' });",
  "if (!['ValidationException'].includes((fault as Error).name)) throw fault;",
])('the test finds %s', (line) => {
  expect(found('x.ts', line)).not.toEqual([]);
});

test.each([
  "this.name = 'GatewayError';",
  "if (type.name === 'Query') return;",
  "override readonly name = 'HttpFault';",
])('and lets %s pass', (line) => {
  expect(found('x.ts', line)).toEqual([]);
});
