/** Shell actions on AWS: the `sandbox` function runs the program while this one waits for it, without retries. */

import type { LambdaClient, LambdaClientConfig } from '@aws-sdk/client-lambda';
import { onceWithDeadline } from '#adapters/aws/client-bounds.ts';
import { ExecutionFault } from '#core/execution/executors/fault.ts';
import type { CommandRunner } from '#core/execution/executors/ports.ts';
import { longestSandboxMs, sandboxReply } from '#core/execution/executors/sandbox-message.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { jsonOrUndefined } from '#core/kernel/json-or-undefined.ts';

type Lambda = typeof import('../aws/sdk/lambda.ts') & { readonly client: Pick<LambdaClient, 'send'> };

/** Time in addition to the program's own, for the function's startup and the network. */
const slackMs = 15_000;

/**
 * Runs programs in a function. The client is loaded on the first call. `client` replaces the SDK's own client in tests.
 */
export function sandboxFunction(
  functionName: string,
  config: LambdaClientConfig = {},
  client?: Pick<LambdaClient, 'send'>,
): CommandRunner {
  let connected: Promise<Lambda> | undefined;
  return async ({ root: _, containment: __, perProcess: ___, ...command }, signal) => {
    connected ??= connect(config, client);
    const { client: lambda, InvokeCommand } = await connected;
    const timeoutMs = Math.min(command.timeoutMs, longestSandboxMs);
    const Payload = Buffer.from(JSON.stringify({ ...command, timeoutMs, env: [] }));
    const deadline = AbortSignal.timeout(timeoutMs + slackMs);
    const abortSignal = signal ? AbortSignal.any([signal, deadline]) : deadline;
    const invoke = new InvokeCommand({ FunctionName: functionName, InvocationType: 'RequestResponse', Payload });
    const answer = await lambda.send(invoke, { abortSignal }).catch((thrown: unknown) => {
      throw sandboxFault(thrown, abortSignal);
    });
    if (answer.FunctionError !== undefined)
      throw new ExecutionFault('unavailable', 'it broke off', { effect: 'unknown', hint: 'Look at its log.' });
    return sandboxResult(answer.Payload);
  };
}

async function connect(config: LambdaClientConfig, client?: Pick<LambdaClient, 'send'>): Promise<Lambda> {
  const sdk = await import('../aws/sdk/lambda.ts');
  return { ...sdk, client: client ?? new sdk.LambdaClient({ ...onceWithDeadline, ...config, maxAttempts: 1 }) };
}

function sandboxResult(payload: Uint8Array | undefined) {
  const read = sandboxReply.safeParse(jsonOrUndefined(Buffer.from(payload ?? []).toString('utf8')));
  if (!read.success)
    throw new ExecutionFault('malformed', 'its response has an unexpected format', { effect: 'unknown' });
  if ('result' in read.data) return read.data.result;
  const { kind, message, hint, uncertain } = read.data.fault;
  throw new ExecutionFault(kind, message, {
    effect: uncertain ? 'unknown' : 'none',
    ...(hint !== undefined && { hint }),
  });
}

/** Returns the fault. If Lambda refused the call, no program ran; if there was no response, a program may have run. */
function sandboxFault(thrown: unknown, ends: AbortSignal): ExecutionFault {
  if (ends.aborted) {
    const late = isErrorNamed(ends.reason, 'TimeoutError');
    const words = late ? 'it did not answer in time' : 'it was cancelled';
    return new ExecutionFault(late ? 'timeout' : 'cancelled', words, { effect: 'unknown' });
  }
  const { name = '', $metadata } = (thrown ?? {}) as { name?: string; $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  if (status === 429) return new ExecutionFault('throttled', 'it has no capacity for another command', { status });
  if (status !== undefined && status < 500)
    return new ExecutionFault('unavailable', `Lambda answered ${name}`, { status });
  return new ExecutionFault('cut', `Lambda answered ${name || 'nothing'}`, { effect: 'unknown', status });
}
