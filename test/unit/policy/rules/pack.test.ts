/** What is wrong with a policy pack is reported with its place, what was found and what is allowed. */
import { parsePack } from '#core/policy/rules/pack.ts';

const rule = { protocol: 'git', tool: 'scm.get_*', decision: 'allow' };
const pack = (fields: object) => ({ name: 'own', default_decision: 'review', rules: [rule], ...fields });

test.each([
  ['a text', 'readonly', 'own.yaml: the document: found "readonly", allowed an object'],
  ['no name', pack({ name: undefined }), 'own.yaml: name: found nothing, allowed a text'],
  [
    'a decision that is none',
    pack({ rules: [rule, { ...rule, decision: 'deny' }] }),
    'rules[1].decision: found "deny"',
  ],
  ['a malformed glob', pack({ rules: [{ ...rule, tool: 'scm.{a' }] }), 'own.yaml: '],
])('[config.bad-words] a pack with %s is refused', (_what, value, said) => {
  expect(() => parsePack(value, 'own.yaml')).toThrow(said);
});

test.each([
  ['red', '"red"'],
  ['{read,wirte}', '"wirte"'],
  ['{read,{write,delte}}', '"delte"'],
  ['re?d', undefined],
  ['{read,w*}', undefined],
  ['w?', '"w?"'],
  ['*', undefined],
  ['{read,write,execute,delete}', undefined],
])('[policy.capability-words] capability %s: unknown is %s', (capability, unknown) => {
  const parse = () => parsePack(pack({ rules: [rule, { ...rule, capability }] }), 'own.yaml');
  if (unknown === undefined) expect(parse().rules[1]).toMatchObject({ capability });
  else expect(parse).toThrow(`own.yaml: rules[1].capability: found ${unknown}; allowed read, write, execute, delete.`);
});

test('[policy.capability-words] a misspelt capability of a guard is refused in its own list', () => {
  const guards = [{ name: 'own', capability: 'delte', reason: 'no' }];
  expect(() => parsePack(pack({ guards }), 'own.yaml')).toThrow('guards[0].capability: found "delte"');
});
