// biome-ignore-all lint/suspicious/noTemplateCurlyInString: IAM writes its escapes and variables so

import * as z from 'zod';
import { awsCalls } from '#core/execution/credentials/aws-calls.ts';
import { compileSessionPolicy } from '#core/execution/credentials/session-policy.ts';
import { object, readCases, rows, text } from '../../../support/yaml.ts';
import { envelope } from './sample.ts';

const { policies, refused } = readCases(
  'test/unit/execution/credentials/session-policy.yaml',
  z.strictObject({ policies: rows(text, text, object, text, text, object), refused: rows(text, text) }),
);

const expiresMs = Date.UTC(2026, 0, 1, 0, 10, 0, 500);
const compile = (tool: string, target: string, parameters: Record<string, unknown> = {}, partition?: string) =>
  compileSessionPolicy({ ...envelope, tool, target, parameters }, { expiresMs, ...(partition && { partition }) });
const at = 'eu-central-1:111122223333';
const table = `arn:aws:dynamodb:${at}:table/orders`;
const time = { DateLessThan: { 'aws:CurrentTime': '2026-01-01T00:10:00Z' } };

describe('the session policy for an action', () => {
  test.each(policies)('%s on %s', (tool, target, parameters, action, resource, conditions) => {
    expect(compile(tool, target, parameters)).toMatchObject({
      policy: {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Action: [action], Resource: resource, Condition: { ...time, ...conditions } }],
      },
      actions: [action],
    });
  });

  function _leading(value: string) {
    const key = 'dynamodb:LeadingKeys';
    return { 'ForAllValues:StringEquals': { [key]: value }, Null: { [key]: 'false' } };
  }

  test('any string can be a partition key', () => {
    expect(compile('aws.dynamodb.get_item', table, { key: { id: 'x' } })).toHaveProperty('policy');
  });

  test("an s3 address is in the role's own partition", () => {
    expect(compile('aws.s3.get_object', 's3://bucket/k', {}, 'aws-us-gov')).toMatchObject({
      resource: 'arn:aws-us-gov:s3:::bucket/k',
    });
  });

  test('is sent as ASCII whatever the target contains', () => {
    const compiled = compile('aws.s3.get_object', 's3://bucket/größe/日本.txt');
    if ('refused' in compiled) throw new Error(compiled.refused);
    expect(compiled.text).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(compiled.text)).toEqual(compiled.policy);
  });

  test.each(refused)('[credential.no-broader] %s on %s is refused', (tool, target) => {
    expect(compile(tool, target)).toEqual({ refused: expect.any(String) });
  });

  test.each([
    ['aws.s3.get_object', 's3://bucket/a..b/.c/d./...'],
    ['aws.s3.list_bucket', 's3://bucket/a/b/'],
    ['aws.ssm.get_parameter', `arn:aws:ssm:${at}:parameter/prod/.db/a..b`],
    ['aws.ssm.get_parameter', `arn:aws:ssm:${at}:parameter/x`],
  ])('[credential.no-broader] %s on %s gets a policy', (tool, target) => {
    expect(compile(tool, target)).not.toHaveProperty('refused');
  });

  test('every call in the table maps to actions of a single service, without wildcards', () => {
    for (const [tool, { actions }] of Object.entries(awsCalls)) {
      const [, service = ''] = tool.split('.');
      for (const action of actions) expect(action).toMatch(new RegExp(`^${service}:[A-Z][A-Za-z]+$`));
    }
  });
});
