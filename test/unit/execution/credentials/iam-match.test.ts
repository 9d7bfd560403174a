// biome-ignore-all lint/suspicious/noTemplateCurlyInString: IAM writes its escapes and variables so
import {
  type IamRequest,
  iamAnswer,
  type PolicyDocument,
  type PolicyStatement,
} from '#core/execution/credentials/iam-match.ts';

const allow: PolicyStatement = { Effect: 'Allow', Action: 's3:GetObject', Resource: 'arn:aws:s3:::b/k' };
const answer = (
  statement: Partial<PolicyStatement> | Partial<PolicyStatement>[],
  request: Partial<IamRequest> = {},
) => {
  const policy: PolicyDocument = {
    Version: '2012-10-17',
    Statement: [statement].flat().map((each) => ({ ...allow, ...each })),
  };
  return iamAnswer(policy, { action: 's3:GetObject', resource: 'arn:aws:s3:::b/k', context: {}, ...request });
};

describe('the answer of a policy', () => {
  test.each([
    ['s3:GetObject', 'allow'],
    ['S3:getobject', 'allow'],
    ['s3:Get*', 'allow'],
    ['s3:?etObject', 'allow'],
    ['*', 'allow'],
    ['s3:GetObjectVersion', 'implicit_deny'],
    ['s3:GetObjec', 'implicit_deny'],
    [['s3:PutObject', 's3:GetObject'], 'allow'],
  ])('the action %j: %s', (Action, expected) => {
    expect(answer({ Action })).toBe(expected);
  });

  test.each([
    ['arn:aws:s3:::b/k', 'arn:aws:s3:::b/k', 'allow'],
    ['arn:aws:s3:::b/K', 'arn:aws:s3:::b/k', 'implicit_deny'],
    ['arn:aws:s3:::b/*', 'arn:aws:s3:::b/k/deep', 'allow'],
    ['arn:aws:s3:::*/z', 'arn:aws:s3:::b/y/z', 'allow'],
    ['arn:aws:s3:::b/?', 'arn:aws:s3:::b/', 'implicit_deny'],
    ['arn:aws:s3:::b/${*}', 'arn:aws:s3:::b/*', 'allow'],
    ['arn:aws:s3:::b/${*}', 'arn:aws:s3:::b/k', 'implicit_deny'],
    ['arn:aws:s3:::b/${?}', 'arn:aws:s3:::b/?', 'allow'],
    ['arn:aws:s3:::b/${$}{x}', 'arn:aws:s3:::b/${x}', 'allow'],
    ['arn:aws:s3:::b/$x', 'arn:aws:s3:::b/$x', 'allow'],
    ['arn:aws:s3:::b/${aws:username}', 'arn:aws:s3:::b/k', 'unreadable'],
    ['arn:aws:s3:::b/${', 'arn:aws:s3:::b/${', 'unreadable'],
  ])('the resource %s for %s: %s', (Resource, resource, expected) => {
    expect(answer({ Resource }, { resource })).toBe(expected);
  });

  test('a wildcard pattern of any kind is matched in reasonable time', () => {
    const Resource = `${'*a'.repeat(500)}b`;
    expect(answer({ Resource }, { resource: 'a'.repeat(4000) })).toBe('implicit_deny');
  });

  test.each<[string, PolicyStatement['Condition'], IamRequest['context'], string]>([
    ['equal', { StringEquals: { k: ['a', 'b'] } }, { K: 'b' }, 'allow'],
    ['an asterisk that is only one', { StringEquals: { k: '*' } }, { k: 'b' }, 'implicit_deny'],
    ['missing', { StringEquals: { k: 'a' } }, {}, 'implicit_deny'],
    ['several values under a test over one', { StringEquals: { k: 'a' } }, { k: ['a', 'b'] }, 'implicit_deny'],
    ['like', { StringLike: { k: 'a*' } }, { k: 'abc' }, 'allow'],
    ['unlike', { StringLike: { k: 'a*' } }, { k: 'ba' }, 'implicit_deny'],
    ['all of the list', { 'ForAllValues:StringEquals': { k: ['a', 'b'] } }, { k: ['b', 'a'] }, 'allow'],
    ['one beside the list', { 'ForAllValues:StringEquals': { k: ['a'] } }, { k: ['a', 'c'] }, 'implicit_deny'],
    ['a list nobody sent', { 'ForAllValues:StringEquals': { k: ['a'] } }, {}, 'allow'],
    [
      'a list that has to be sent',
      { 'ForAllValues:StringEquals': { k: ['a'] }, Null: { k: 'false' } },
      {},
      'implicit_deny',
    ],
    ['before', { DateLessThan: { t: '2026-01-01T00:00:01Z' } }, { t: '2026-01-01T00:00:00.999Z' }, 'allow'],
    ['not before', { DateLessThan: { t: '2026-01-01T00:00:01Z' } }, { t: '2026-01-01T00:00:01Z' }, 'implicit_deny'],
    ['no time', { DateLessThan: { t: 'soon' } }, { t: '2026-01-01T00:00:00Z' }, 'unreadable'],
    [
      'two of which one fails',
      { StringEquals: { k: 'a' }, StringLike: { l: 'b' } },
      { k: 'a', l: 'c' },
      'implicit_deny',
    ],
    ['an operator nobody knows', { ArnLike: { k: 'a' } }, { k: 'a' }, 'unreadable'],
    ['an inherited operator', { constructor: { k: 'a' } }, { k: 'a' }, 'unreadable'],
    [
      'a variable behind a part that fails',
      { StringEquals: { a: 'x', b: '${aws:username}' } },
      { a: 'y' },
      'unreadable',
    ],
  ])('a condition: %s', (_, Condition, context, expected) => {
    expect(answer({ ...(Condition && { Condition }) }, { context })).toBe(expected);
  });

  test('an explicit deny wins wherever it stands; a deny that does not apply is none', () => {
    expect(answer([{}, { Effect: 'Deny', Action: 's3:*' }])).toBe('explicit_deny');
    expect(answer([{ Effect: 'Deny', Action: 's3:*' }, {}])).toBe('explicit_deny');
    expect(answer([{ Effect: 'Deny', Action: 's3:Put*' }, {}])).toBe('allow');
    expect(answer({ Effect: 'Deny' })).toBe('explicit_deny');
  });

  test.each([{ NotAction: 's3:PutObject' }, { NotResource: 'x' }, { Principal: '*' }, { Effect: 'Maybe' }])(
    'a statement with %j is not read',
    (extra) => {
      expect(answer(extra as Partial<PolicyStatement>)).toBe('unreadable');
    },
  );
});
