/** Validates policy packs. Errors state the place in the YAML document and the problem. */

import { entriesOfRules, rulesOfEntry } from '#core/catalog/rule-sets.ts';
import { capabilities } from '#core/contracts/envelope.ts';
import { type PackFile, type ToolPack, toolPackSchema } from '#core/contracts/tool-policy.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { describeIssue, relevantIssues } from '#core/kernel/issue-words.ts';
import { unknownCapabilities } from './capability-words.ts';
import { compilePolicy } from './compile.ts';

/** Packs that ship with the gateway, in `policies/<name>.yaml`. */
export const shippedPacks = [
  'readonly',
  'pr-writer',
  'coding-agent',
  'infra-review',
  'sql-explorer',
  'provenance',
] as const;

/**
 * Parses a policy pack and replaces its rule sets with their rules.
 * @param where name of the document for error messages, e.g. `policies/pr-writer.yaml`.
 * @throws GatewayError `invalid_request` with the YAML path, what was found and what is allowed.
 */
export function parsePack(value: unknown, where: string): ToolPack {
  const parsed = toolPackSchema.safeParse(value, { error: describeIssue });
  if (!parsed.success)
    throw invalidRequest(
      relevantIssues(parsed.error.issues)
        .map(({ path, message }) => `${where}: ${pathOf(path)}: ${message}`)
        .join('\n'),
    );
  const pack = { ...parsed.data, rules: parsed.data.rules.flatMap(rulesOfEntry) };
  compilePack(pack, parsed.data, where);
  return pack;
}

/** Checks that a pack compiles. Errors name the affected entry in the file. */
function compilePack(pack: ToolPack, file: PackFile, where: string): void {
  try {
    compilePolicy(pack);
    for (const [list, all] of Object.entries({ rules: file.rules, guards: file.guards })) {
      all.forEach((entry, i) => {
        const [unknown] = typeof entry === 'string' ? [] : unknownCapabilities(entry.capability);
        if (unknown === undefined) return;
        throw invalidRequest(`${list}[${i}].capability: found "${unknown}"; allowed ${capabilities.join(', ')}.`);
      });
    }
  } catch (thrown) {
    const message = (thrown as Error).message.replace(
      /^rules\[(\d+)\]/,
      (_, index: string) => `rules[${entriesOfRules(file.rules)[Number(index)]}]`,
    );
    throw invalidRequest(`${where}: ${message}`);
  }
}

const pathOf = (path: readonly PropertyKey[]): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '') || 'the document';
