// biome-ignore-all lint/suspicious/noTemplateCurlyInString: IAM writes its escapes and variables so

import * as z from 'zod';
import {
  type IamRequest,
  iamAnswer,
  type PolicyDocument,
  type PolicyStatement,
} from '#core/execution/credentials/iam-match.ts';
import { readCases, rows, text, texts } from '../../../support/yaml.ts';

const values = z.record(text, z.union([text, texts]));
const { actions, resources, conditions } = readCases(
  'test/unit/execution/credentials/iam-match.yaml',
  z.strictObject({
    actions: rows(z.union([text, texts]), text),
    resources: rows(text, text, text),
    conditions: rows(text, z.record(text, values), values, text),
  }),
);

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

describe('an IAM policy decision', () => {
  test.each(actions)('action %j results in %s', (Action, expected) => {
    expect(answer({ Action })).toBe(expected);
  });

  test.each(resources)(
    'policy resource %s with requested resource %s results in %s',
    (Resource, resource, expected) => {
      expect(answer({ Resource }, { resource })).toBe(expected);
    },
  );

  test('a pattern with many wildcards is matched in reasonable time', () => {
    const Resource = `${'*a'.repeat(500)}b`;
    expect(answer({ Resource }, { resource: 'a'.repeat(4000) })).toBe('implicit_deny');
  });

  test.each(conditions)('a condition: %s', (_, Condition, context, expected) => {
    expect(answer({ ...(Condition && { Condition }) }, { context })).toBe(expected);
  });

  test('an explicit deny wins in any position, and a deny that does not apply is ignored', () => {
    expect(answer([{}, { Effect: 'Deny', Action: 's3:*' }])).toBe('explicit_deny');
    expect(answer([{ Effect: 'Deny', Action: 's3:*' }, {}])).toBe('explicit_deny');
    expect(answer([{ Effect: 'Deny', Action: 's3:Put*' }, {}])).toBe('allow');
    expect(answer({ Effect: 'Deny' })).toBe('explicit_deny');
  });

  test.each([{ NotAction: 's3:PutObject' }, { NotResource: 'x' }, { Principal: '*' }, { Effect: 'Maybe' }])(
    'a statement with %j is reported as unreadable',
    (extra) => {
      expect(answer(extra as Partial<PolicyStatement>)).toBe('unreadable');
    },
  );
});
