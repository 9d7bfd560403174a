/**
 * Lines that a filter may mistake for reads although they change something in at least one shell. None may be allowed;
 * each has a harmless neighbour that stays allowed.
 */
import * as z from 'zod';
import { readCases } from '../../support/yaml.ts';
import type { Runnable } from './lab.ts';

export interface Row {
  readonly cause: string;
  readonly what: Runnable;
  /** A program that must be installed for the row to do its harm. */
  readonly needs?: string | undefined;
}

const group = z.strictObject({
  cause: z.string(),
  needs: z.string().optional(),
  lines: z.array(z.union([z.string(), z.array(z.string())])),
});

export const bypasses: readonly Row[] = readCases('test/differential/shell/bypasses.yaml', z.array(group)).flatMap(
  ({ lines, ...of }) => lines.map((what) => ({ what, ...of })),
);
