/** Policy packs: a parsed YAML document becomes a pack, or an error that says where and what. */
import type * as z from 'zod';
import { capabilities } from '#core/contracts/envelope.ts';
import { type ToolPack, toolPackSchema } from '#core/contracts/tool-policy.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { unknownCapabilities } from './capability-words.ts';
import { compilePolicy } from './compile.ts';

/** The packs that ship with the gateway, in `policies/<name>.yaml`. */
export const shippedPacks = [
  'readonly',
  'pr-writer',
  'coding-agent',
  'infra-review',
  'sql-explorer',
  'provenance',
] as const;

/**
 * @param where names the document in errors, e.g. `policies/pr-writer.yaml`.
 * @throws GatewayError `invalid_request` with the YAML path, what was found and what is allowed.
 */
export function parsePack(value: unknown, where: string): ToolPack {
  const parsed = toolPackSchema.safeParse(value);
  if (!parsed.success)
    throw invalidRequest(parsed.error.issues.map((issue) => describe(issue, value, where)).join('\n'));
  compilePack(parsed.data, where);
  return parsed.data;
}

function compilePack(pack: ToolPack, where: string): void {
  try {
    compilePolicy(pack);
    for (const [list, all] of Object.entries({ rules: pack.rules, guards: pack.guards })) {
      all.forEach(({ capability }, i) => {
        const [unknown] = unknownCapabilities(capability);
        if (unknown === undefined) return;
        throw invalidRequest(`${list}[${i}].capability: found "${unknown}"; allowed ${capabilities.join(', ')}.`);
      });
    }
  } catch (thrown) {
    throw invalidRequest(`${where}: ${(thrown as Error).message}`);
  }
}

function describe(issue: z.core.$ZodIssue, value: unknown, where: string): string {
  const path = issue.path.reduce<string>(
    (text, step) => text + (typeof step === 'number' ? `[${step}]` : `.${String(step)}`),
    '',
  );
  const found = JSON.stringify(valueAt(value, issue.path)) ?? 'nothing';
  return `${where}: ${path.replace(/^\./, '') || 'the document'}: found ${found}; ${issue.message}.`;
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (at, step) =>
      at !== null && typeof at === 'object' && Object.hasOwn(at, step)
        ? (at as Record<PropertyKey, unknown>)[step]
        : undefined,
    value,
  );
