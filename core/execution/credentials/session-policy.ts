/**
 * Compiles an AWS session policy from one action: its tool's IAM actions, its one resource, its expiry. A role narrowed
 * by the policy can make only this call. Calls that are not in the table are refused, never widened.
 */
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { type AwsResource, awsCalls } from './aws-calls.ts';
import { type IamRequest, iamAnswer, type PolicyDocument } from './iam-match.ts';

/** Maximum length of an inline STS policy. */
const longestPolicyCharacters = 2048;

export interface CompiledSessionPolicy {
  readonly policy: PolicyDocument;
  /** The string to send: ASCII only, at most `longestPolicyCharacters`. */
  readonly text: string;
  readonly actions: readonly string[];
  /** The call's raw resource, without escapes and wildcards. */
  readonly resource: string;
  /** The call as an IAM request, without the time. */
  readonly call: IamRequest;
}

interface PolicyRefusal {
  readonly refused: string;
}

/**
 * Compiles a call's policy.
 * @param expiresMs time at which the permission ends, regardless of the keys' expiry.
 * @param partition the role's partition, for targets without one.
 */
export function compileSessionPolicy(
  { tool, target, parameters }: Pick<ActionEnvelope, 'tool' | 'target' | 'parameters'>,
  { expiresMs, partition = 'aws' }: { readonly expiresMs: number; readonly partition?: string },
): CompiledSessionPolicy | PolicyRefusal {
  const known = Object.hasOwn(awsCalls, tool) ? awsCalls[tool] : undefined;
  if (!known) return { refused: `no session policy is known for the tool ${tool}` };
  const resource = known.read(target, parameters, partition);
  if (!resource) return { refused: `the target of ${tool} must be ${known.form}` };

  const policy: PolicyDocument = {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Action: known.actions,
        Resource: escapeWildcards(resource.arn) + (resource.suffix ?? ''),
        Condition: conditionsOf(resource, expiresMs),
      },
    ],
  };
  const text = ascii(JSON.stringify(policy));
  if (text.length > longestPolicyCharacters)
    return { refused: `its session policy is longer than ${longestPolicyCharacters} characters` };
  const call = iamRequest(known.actions[0], resource);
  if (!isNarrow(policy, call, resource, known.actions, expiresMs))
    return { refused: 'its session policy is not limited to this action' };
  return { policy, text, actions: known.actions, resource: resource.arn, call };
}

/** Escapes characters that IAM would treat as wildcards or variables. */
const escapeWildcards = (text: string): string => text.replace(/[*?$]/g, (char) => `\${${char}}`);

/** Escapes a value that cannot contain wildcards, so only the dollar sign is special. */
const escapedValue = (text: string): string => text.replace(/\$/g, (char) => `\${${char}}`);

function conditionsOf({ equals, everyEquals }: AwsResource, expiresMs: number) {
  const values = (tests: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(tests).map(([key, value]) => [key, escapedValue(value)]));
  return {
    DateLessThan: { 'aws:CurrentTime': wholeSeconds(expiresMs) },
    ...(equals && { StringEquals: values(equals) }),
    ...(everyEquals && {
      'ForAllValues:StringEquals': values(everyEquals),
      // The condition above also passes if the key is absent.
      Null: Object.fromEntries(Object.keys(everyEquals).map((key) => [key, 'false'])),
    }),
  };
}

/** Rounds down to whole seconds. */
const wholeSeconds = (ms: number): string => isoTime(Math.floor(ms / 1000) * 1000).replace('.000Z', 'Z');

/** Escapes non-ASCII characters in JSON, since STS accepts characters only up to U+00FF. */
const ascii = (json: string): string =>
  json.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

function iamRequest(action: string, resource: AwsResource): IamRequest {
  const { arn, equals, everyEquals } = resource;
  const lists = Object.entries(everyEquals ?? {}).map(([key, value]) => [key, [value]] as const);
  return {
    action,
    resource: requestResource(arn, resource),
    context: { ...equals, ...Object.fromEntries(lists) },
  };
}

/** Returns the resource of the IAM request. For log groups without a named stream, the resource has a suffix. */
const requestResource = (arn: string, { suffix }: AwsResource): string => (suffix ? `${arn}:log-stream:` : arn);

/** Verifies that the policy allows the call until the policy expires, and allows none of the similar calls. */
function isNarrow(
  policy: PolicyDocument,
  call: IamRequest,
  resource: AwsResource,
  actions: readonly string[],
  expiresMs: number,
): boolean {
  const at = (ms: number, over: Partial<IamRequest> = {}) => {
    const request = { ...call, ...over };
    return iamAnswer(policy, { ...request, context: { ...request.context, 'aws:CurrentTime': isoTime(ms) } });
  };
  const before = Math.floor(expiresMs / 1000) * 1000 - 1;
  const service = call.action.slice(0, call.action.indexOf(':'));
  const neighbours = [
    at(expiresMs),
    at(before, { resource: requestResource(`${resource.arn}x`, resource) }),
    at(before, { resource: requestResource(resource.arn.slice(0, -1), resource) }),
    at(before, { action: `${service}:*` }),
    at(before, { action: 'iam:CreateUser' }),
    ...Object.entries(call.context).map(([key, value]) => {
      const other = typeof value === 'string' ? `${value}x` : [...value, `${value.join('')}x`];
      return at(before, { context: { ...call.context, [key]: other } });
    }),
  ];
  const own = actions.map((action) => at(before, { action }));
  return own.every((answer) => answer === 'allow') && neighbours.every((answer) => answer === 'implicit_deny');
}
