/** Facts of a call that deletes a repository, for tests of judges. */
import type { Decision } from '#core/contracts/envelope.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { configurationSchema } from '#features/configuration.ts';
import type { Loose } from './loose.ts';

export const configurationWith = (over: Loose = {}) =>
  configurationSchema.parse({ version: 1, tenants: [{ id: 't', api_keys: ['k'] }], ...over });

export const call = { protocol: 'git', tool: 'scm.delete_repo', target: 'a/b', capability: 'delete', parameters: {} };
const effects: Loose = { parts: [], carrier: false };

export const policyOf = (decision: Decision) =>
  compilePolicy({ name: 'p', default_decision: 'allow', rules: [{ protocol: 'git', tool: '*', decision }] } as Loose);

export const factsOf = (over: Loose): Loose => ({
  call,
  effects,
  policy: policyOf('allow'),
  sandbox: configurationWith().sandbox,
  guard: undefined,
  ...over,
});
