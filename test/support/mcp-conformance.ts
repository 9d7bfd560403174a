/** Responses of both fixture servers to the conformance suite. */
import * as z from 'zod';
import { readCases } from './yaml.ts';

const given = z.record(z.string(), z.record(z.string(), z.unknown()));
const cases = readCases(
  'test/support/mcp-conformance.yaml',
  z.strictObject({ results: given, prompts: z.record(z.string(), z.array(z.unknown())), schemas: given }),
);
export const { results, schemas } = cases;
const { prompts } = cases;

/** Returns the messages of a prompt with its arguments; undefined if there is no such prompt. */
export const messagesOf = (name: string, args: Readonly<Record<string, unknown>> = {}) =>
  prompts[name] &&
  JSON.parse(
    JSON.stringify(prompts[name]).replaceAll(/\{(arg1|arg2|resourceUri)\}/g, (_, arg) =>
      JSON.stringify(String(args[arg])).slice(1, -1),
    ),
  );
