/** Shell text that has fooled command filters, and harmless text that resembles it, with the expected decisions. */
import * as z from 'zod';
import type { Decision, ToolCall } from '#core/contracts/envelope.ts';
import { readCases } from '../support/yaml.ts';

export interface Bypass {
  /** Line for a tool that runs lines. A call is used instead if its shape is relevant. */
  readonly line?: string;
  readonly call?: Partial<ToolCall>;
  readonly pack: 'pr-writer' | 'readonly';
  readonly becomes: Decision;
  readonly why: string;
  readonly source: string;
}

const rowsOf = <T>(what: z.ZodType<T>) =>
  z.array(z.tuple([what, z.enum(['allow', 'review', 'block']), z.string()])).default([]);
const group = z.strictObject({
  source: z.string(),
  pack: z.enum(['pr-writer', 'readonly']).default('pr-writer'),
  lines: rowsOf(z.string()),
  /** Calls, if the shape of the call is relevant. */
  calls: rowsOf(z.custom<Partial<ToolCall>>((value) => typeof value === 'object')),
});

export const bypasses: readonly Bypass[] = readCases('test/policies/bypasses.yaml', z.array(group)).flatMap(
  ({ source, pack, lines, calls }) => [
    ...lines.map(([line, becomes, why]) => ({ line, pack, becomes, why, source })),
    ...calls.map(([call, becomes, why]) => ({ call, pack, becomes, why, source })),
  ],
);
