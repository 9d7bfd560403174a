/** Protocol names in rules. */
import { knownProtocols } from '#core/contracts/envelope.ts';
import type { ToolPolicyDocument } from '#core/contracts/tool-policy.ts';
import { compileGlob, matchesAll } from '#core/matching/glob.ts';

/** Rules that name a protocol the gateway does not speak: a warning, since a later version may. */
export const unknownProtocols = (document: ToolPolicyDocument): string[] =>
  document.rules.flatMap(({ protocol, tool }, index) => {
    if (matchesAll(protocol) || knownProtocols.some(compileGlob(protocol, 'name').matches)) return [];
    return [
      `rules[${index}] (${protocol}:${tool}): unknown protocol "${protocol}"; known are ${knownProtocols.join(', ')}.`,
    ];
  });
