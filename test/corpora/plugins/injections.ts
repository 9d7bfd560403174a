/** Rows for injection-guard: tool results from the tool guard corpora. */
import { harmful } from '../tool-guard/harmful.ts';
import { harmless } from '../tool-guard/harmless.ts';
import type { Row as GuardRow } from '../tool-guard/sample.ts';
import type { Row } from './measure.ts';

/** Kinds that are harmful because of their structure, not their wording; the tool guard detects these. */
const structural: ReadonlySet<string> = new Set([
  ...['false error', 'no width', 'picture to be filled', 'link to be filled', 'terminal escape', 'direction override'],
]);

const rows = (all: readonly GuardRow[], wanted: boolean): Row[] =>
  all.flatMap((row) =>
    row.place === 'result' && !structural.has(row.kind)
      ? [{ kind: row.kind, text: row.text, wanted, heldOut: row.heldOut }]
      : [],
  );

export const injectionRows = (): Row[] => [...rows(harmful(), true), ...rows(harmless(), false)];
