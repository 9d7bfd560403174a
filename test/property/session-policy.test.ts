/** Compiled session policies: each allows its own call and no similar ones. */
import fc from 'fast-check';
import { awsCalls } from '#core/execution/credentials/aws-calls.ts';
import { type IamRequest, iamAnswer } from '#core/execution/credentials/iam-match.ts';
import { type CompiledSessionPolicy, compileSessionPolicy } from '#core/execution/credentials/session-policy.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { codePoint } from '../support/code-point.ts';

const longestPolicyCharacters = 2048;

const text = (alphabet: string, minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength });
const word = text('abcXYZ019-_', 3, 12);
const bucket = text('abcxyz019', 3, 20);
/** Object keys with any permitted content: wildcards, variables, quotes, other scripts. */
const objectKey = fc
  .oneof(
    text(`ab/*?\${}:"\\'. é日`, 1, 40),
    fc
      .string({ unit: codePoint, minLength: 1, maxLength: 40 })
      .filter((key) => key.isWellFormed() && !/\p{Cc}/u.test(key)),
  )
  // Names that policies would interpret as other names get no credential at all.
  .filter((key) => !/^\/|\/\/|(?:^|\/)\.{1,2}(?:\/|$)/.test(key));

const place = fc.tuple(fc.constantFrom('us-east-1', 'eu-central-1'), text('0123456789', 12, 12));
const arn = (service: string, resource: fc.Arbitrary<string>) =>
  fc.tuple(place, resource).map(([[region, account], name]) => `arn:aws:${service}:${region}:${account}:${name}`);
const after = (prefix: string) => word.map((name) => prefix + name);

const s3 = fc.tuple(bucket, objectKey).map(([name, key]) => `s3://${name}/${key}`);
const targets: Readonly<Record<string, fc.Arbitrary<string>>> = {
  s3,
  dynamodb: arn('dynamodb', after('table/')),
  sqs: arn('sqs', word),
  sns: arn('sns', word),
  lambda: arn('lambda', after('function:')),
  secretsmanager: arn(
    'secretsmanager',
    word.map((name) => `secret:${name}-AbC123`),
  ),
  ssm: arn('ssm', after('parameter/')),
  logs: arn('logs', after('log-group:/')),
  ecs: arn(
    'ecs',
    fc.tuple(word, word).map(([cluster, service]) => `service/${cluster}/${service}`),
  ),
  states: arn('states', after('stateMachine:')),
};

const parameters = fc.oneof(
  fc.constant({}),
  fc.string({ minLength: 1 }).map((id) => ({ key: { id }, item: { id }, partition_key: 'id' })),
);

const call = fc
  .constantFrom(...Object.keys(awsCalls))
  .chain((tool) => fc.record({ tool: fc.constant(tool), target: targets[tool.split('.')[1]!]!, parameters }));
const expiry = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) });

function compiled(
  action: Parameters<typeof compileSessionPolicy>[0],
  expiresMs: number,
): CompiledSessionPolicy | undefined {
  const outcome = compileSessionPolicy(action, { expiresMs });
  if (!('refused' in outcome)) return outcome;
  // Escapes may make a policy longer than STS accepts; no other refusal is possible here.
  expect(outcome.refused).toContain('longer than');
  return undefined;
}

const lastMoment = (expiresMs: number) => Math.floor(expiresMs / 1000) * 1000 - 1;
const answer = ({ policy, call: own }: CompiledSessionPolicy, ms: number, over: Partial<IamRequest> = {}) => {
  const request = { ...own, ...over };
  return iamAnswer(policy, { ...request, context: { ...request.context, 'aws:CurrentTime': isoTime(ms) } });
};

describe('[credential.brokers] a compiled session policy', () => {
  test('allows its own call until it expires, and no call afterwards', () => {
    fc.assert(
      fc.property(call, expiry, fc.nat(10_000_000), (action, expiresMs, ms) => {
        const policy = compiled(action, expiresMs);
        if (!policy) return;
        expect(policy.text.length).toBeLessThanOrEqual(longestPolicyCharacters);
        expect(answer(policy, lastMoment(expiresMs) - ms)).toBe('allow');
        expect(answer(policy, expiresMs + ms)).toBe('implicit_deny');
      }),
    );
  });

  test('[credential.no-broader] allows no other resource of the same kind', () => {
    fc.assert(
      fc.property(
        call.chain((one) => fc.tuple(fc.constant(one), targets[one.tool.split('.')[1]!]!)),
        expiry,
        ([one, otherTarget], expiresMs) => {
          const [own, other] = [compiled(one, expiresMs), compiled({ ...one, target: otherTarget }, expiresMs)];
          if (!own || !other || one.target === otherTarget) return;
          expect(answer(own, lastMoment(expiresMs), other.call)).toBe('implicit_deny');
        },
      ),
    );
  });

  test('[credential.no-broader] allows no other object that wildcards or variables in its key could match', () => {
    const near = (key: string) => [
      ...[`${key}x`, `x${key}`, key.slice(0, -1), `${key}/`, key.replaceAll('*', 'anything'), key.replaceAll('?', 'x')],
      key.replace(/\$\{.*\}/, 'admin'),
    ];
    fc.assert(
      fc.property(bucket, objectKey, expiry, (name, key, expiresMs) => {
        const own = compiled({ tool: 'aws.s3.get_object', target: `s3://${name}/${key}`, parameters: {} }, expiresMs);
        if (!own) return;
        for (const other of near(key)) {
          if (other === key) continue;
          const resource = `arn:aws:s3:::${name}/${other}`;
          expect(answer(own, lastMoment(expiresMs), { resource })).toBe('implicit_deny');
        }
        const elsewhere = `arn:aws:s3:::${name}x/${key}`;
        expect(answer(own, lastMoment(expiresMs), { resource: elsewhere })).toBe('implicit_deny');
      }),
    );
  });

  test('[credential.no-broader] allows no other action, from the same family or another', () => {
    const actions = [...Object.values(awsCalls).flatMap(({ actions }) => actions), 's3:GetObjectAcl', 'iam:PassRole'];
    fc.assert(
      fc.property(call, expiry, fc.constantFrom(...actions), (one, expiresMs, action) => {
        const own = compiled(one, expiresMs);
        if (!own || own.actions.includes(action)) return;
        expect(answer(own, lastMoment(expiresMs), { action })).toBe('implicit_deny');
      }),
    );
  });

  test('[credential.no-broader] with a partition key, allows neither another key, nor several keys, nor a call without a key', () => {
    const tools = Object.keys(awsCalls).filter((tool) => tool.startsWith('aws.dynamodb.'));
    const value = fc.string({ minLength: 1, unit: 'grapheme' });
    fc.assert(
      fc.property(fc.constantFrom(...tools), value, value, expiry, (tool, id, other, expiresMs) => {
        const one = { tool, target: 'arn:aws:dynamodb:us-east-1:111122223333:table/orders' };
        const given = { key: { id, at: 1 }, item: { id, at: 1 }, partition_key: 'id' };
        const own = compiled({ ...one, parameters: given }, expiresMs);
        if (!own || id === other) return;
        const keys = (...leading: string[]) => ({ context: { 'dynamodb:LeadingKeys': leading } });
        const last = lastMoment(expiresMs);
        expect(answer(own, last, keys(id))).toBe('allow');
        expect(answer(own, last, keys(other))).toBe('implicit_deny');
        expect(answer(own, last, keys(id, other))).toBe('implicit_deny');
        expect(answer(own, last, { context: {} })).toBe('implicit_deny');
      }),
    );
  });
});
