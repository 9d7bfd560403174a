/**
 * An AWS session policy compiled from one action: the actions of its tool, its one resource, its hour of death.
 * A role narrowed by it can do this call and no other. What is not in the table of calls is refused, never widened.
 */
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { type AwsResource, awsCalls } from './aws-calls.ts';
import { type IamRequest, iamAnswer, type PolicyDocument } from './iam-match.ts';

/** STS takes no longer inline policy. */
const longestPolicyCharacters = 2048;

export interface CompiledSessionPolicy {
  readonly policy: PolicyDocument;
  /** As it is sent: ASCII only, at most `longestPolicyCharacters`. */
  readonly text: string;
  readonly actions: readonly string[];
  /** The raw resource of the call, without escapes and wildcards. */
  readonly resource: string;
  /** The call itself, as IAM will see it, the time left out. */
  readonly call: IamRequest;
}

interface PolicyRefusal {
  readonly refused: string;
}

/**
 * @param expiresMs when the permission ends, whatever STS says of the keys.
 * @param partition of the role, for targets that name none.
 */
export function compileSessionPolicy(
  { tool, target, parameters }: Pick<ActionEnvelope, 'tool' | 'target' | 'parameters'>,
  { expiresMs, partition = 'aws' }: { readonly expiresMs: number; readonly partition?: string },
): CompiledSessionPolicy | PolicyRefusal {
  const known = Object.hasOwn(awsCalls, tool) ? awsCalls[tool] : undefined;
  if (!known) return { refused: `no session policy is known for the tool ${tool}` };
  const resource = known.read(target, parameters, partition);
  if (!resource) return { refused: `${tool} needs as its target ${known.form}` };

  const policy: PolicyDocument = {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Action: known.actions,
        Resource: escaped(resource.arn) + (resource.suffix ?? ''),
        Condition: conditionsOf(resource, expiresMs),
      },
    ],
  };
  const text = ascii(JSON.stringify(policy));
  if (text.length > longestPolicyCharacters) {
    return { refused: `its session policy is longer than ${longestPolicyCharacters} characters` };
  }
  const call = callOf(known.actions[0], resource);
  if (!isNarrow(policy, call, resource, known.actions, expiresMs))
    return { refused: 'its session policy does not fit it' };
  return { policy, text, actions: known.actions, resource: resource.arn, call };
}

/** A service's own characters could be read as wildcards or variables; IAM has an escape for each. */
const escaped = (text: string): string => text.replace(/[*?$]/g, (char) => `\${${char}}`);

/** Where wildcards mean nothing, only a dollar sign could. */
const escapedValue = (text: string): string => text.replace(/\$/g, (char) => `\${${char}}`);

function conditionsOf({ equals, everyEquals }: AwsResource, expiresMs: number) {
  const values = (tests: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(tests).map(([key, value]) => [key, escapedValue(value)]));
  return {
    DateLessThan: { 'aws:CurrentTime': wholeSeconds(expiresMs) },
    ...(equals && { StringEquals: values(equals) }),
    ...(everyEquals && {
      'ForAllValues:StringEquals': values(everyEquals),
      // Of a call without the key the line above says nothing.
      Null: Object.fromEntries(Object.keys(everyEquals).map((key) => [key, 'false'])),
    }),
  };
}

/** The second before, never after. */
const wholeSeconds = (ms: number): string => isoTime(Math.floor(ms / 1000) * 1000).replace('.000Z', 'Z');

/** STS takes characters up to U+00FF; JSON can say the others in ASCII. */
const ascii = (json: string): string =>
  json.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

function callOf(action: string, resource: AwsResource): IamRequest {
  const { arn, equals, everyEquals } = resource;
  const lists = Object.entries(everyEquals ?? {}).map(([key, value]) => [key, [value]] as const);
  return {
    action,
    resource: requested(arn, resource),
    context: { ...equals, ...Object.fromEntries(lists) },
  };
}

/** How IAM is asked about a log group without a named stream. */
const requested = (arn: string, { suffix }: AwsResource): string => (suffix ? `${arn}:log-stream:` : arn);

/** Proof before use: the policy allows the call while it lives, and none of its neighbours. */
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
    at(before, { resource: requested(`${resource.arn}x`, resource) }),
    at(before, { resource: requested(resource.arn.slice(0, -1), resource) }),
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
