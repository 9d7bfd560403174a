/**
 * Conditions of a rule in addition to tool and target, one per line, as written in the configuration
 * [console.policies].
 */
import type { AnswerOf } from '#core/operations/endpoints.ts';

type Rule = AnswerOf<'listPolicies'>['rules'][number];

export function conditionsOf({ upstream, capability, arguments: predicates = {} }: Rule): readonly string[] {
  const asked = Object.entries({ upstream, capability }).filter(([, glob]) => glob !== undefined);
  return [
    ...asked.map(([name, glob]) => `${name}: ${glob}`),
    ...Object.entries(predicates).flatMap(([path, predicate]) =>
      Object.entries(predicate).map(([member, value]) => `${path} ${member}: ${JSON.stringify(value)}`),
    ),
  ];
}
