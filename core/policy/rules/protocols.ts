/** Protocol names in rules. */
import { knownProtocols } from '#core/contracts/envelope.ts';
import type { ToolPolicyDocument, ToolRule } from '#core/contracts/tool-policy.ts';
import { didYouMean } from '#core/kernel/did-you-mean.ts';
import { compileGlob } from '#core/text/matching/glob.ts';
import { unknownWords } from './capability-words.ts';

/**
 * Describes rules that name an unknown protocol. The result is only a warning, because callers of `test-action` may
 * name any protocol.
 */
export const unknownProtocols = ({ rules, levels = [] }: ToolPolicyDocument): string[] => [
  ...ofRules(rules, ''),
  ...levels.flatMap((level) => ofRules(level.rules, `${level.path}: `)),
];

const ofRules = (rules: readonly ToolRule[], where: string): string[] =>
  rules.flatMap(({ protocol, tool }, index) => {
    const unknown = unknownWords(protocol, knownProtocols);
    const never = matchesNone(protocol) ? ', so the rule can never match' : '';
    return unknown.map(
      (word) =>
        `${where}rules[${index}] (${protocol}:${tool}): unknown protocol "${word}": no call of an agent has it${never}. Known are ${knownProtocols.join(', ')}${didYouMean(word, knownProtocols) || `. If ${word} is a program, its calls are of protocol shell, tool shell.${word}.`}`,
    );
  });

const matchesNone = (protocol: string): boolean => !knownProtocols.some(compileGlob(protocol, 'name').matches);
