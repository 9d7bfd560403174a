/** Policy pack errors: position, found value and allowed values. */
import { parsePack } from '#core/policy/rules/pack.ts';

const rule = { protocol: 'git', tool: 'scm.get_*', decision: 'allow' };
const pack = (fields: object) => ({ name: 'own', default_decision: 'review', rules: [rule], ...fields });

test.each([
  ['a text', 'readonly', 'own.yaml: the document: found "readonly", allowed an object'],
  ['no name', pack({ name: undefined }), 'own.yaml: name: found nothing, allowed a string'],
  [
    'a decision that is none',
    pack({ rules: [rule, { ...rule, decision: 'deny' }] }),
    'rules[1].decision: found "deny"',
  ],
  ['a malformed glob', pack({ rules: [{ ...rule, tool: 'scm.{a' }] }), 'own.yaml: '],
])('[config.unknown-keys] a pack with %s is refused', (_what, value, said) => {
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
])('[config.unknown-keys] in capability %s, the unknown value is %s', (capability, unknown) => {
  const parse = () => parsePack(pack({ rules: [rule, { ...rule, capability }] }), 'own.yaml');
  if (unknown === undefined) expect(parse().rules[1]).toMatchObject({ capability });
  else expect(parse).toThrow(`own.yaml: rules[1].capability: found ${unknown}; allowed read, write, execute, delete.`);
});

test('[config.unknown-keys] a misspelled guard capability is refused, and the error names its position in guards', () => {
  const guards = [{ name: 'own', capability: 'delte', reason: 'no' }];
  expect(() => parsePack(pack({ guards }), 'own.yaml')).toThrow('guards[0].capability: found "delte"');
});

describe('[policy.guards]', () => {
  const rules = ['git-host-reads', { ...rule, name: 'own' }];

  test('a named set is replaced by its rules, at the same position and with the set’s name', () => {
    expect(parsePack(pack({ rules }), 'own.yaml').rules.map(({ name }) => name)).toEqual([
      'git-host-reads',
      'git-host-reads',
      'own',
    ]);
  });

  test('an error names the entry’s position in the file', () => {
    const malformed = () => parsePack(pack({ rules: [...rules, { ...rule, tool: 'scm.{a' }] }), 'own.yaml');
    expect(malformed).toThrow('own.yaml: rules[2].tool: ');
  });

  test('an unknown rule set is refused', () => {
    expect(() => parsePack(pack({ rules: ['git-host-read'] }), 'own.yaml')).toThrow(/own\.yaml: rules\[0\]: found/);
  });
});
