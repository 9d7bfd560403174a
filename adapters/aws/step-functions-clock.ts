/**
 * Approval and rollout clocks on AWS: each clock is one Standard execution named by the clock's id. The table is
 * authoritative, so a response that the change already happened counts as success.
 */
import type { SFNClient, SFNClientConfig } from '@aws-sdk/client-sfn';
import type { ApprovalClock } from '#core/approvals/ports.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { RolloutClock } from '#core/models/rollouts/ports.ts';
import { clientBounds } from './client-bounds.ts';

type Sfn = typeof import('./sdk/step-functions.ts') & { readonly client: SFNClient };

/** Faults of a repeated start: an earlier attempt by the gateway or the sweep has already succeeded. */
const startedBefore = ['ExecutionAlreadyExists'];
/** Faults of a finished execution: it timed out, ended, or never had this token. The row is already settled. */
const settledBefore = ['TaskTimedOut', 'TaskDoesNotExist', 'InvalidToken'];

/**
 * Starts and ends the clocks. The client is loaded for the first review or vote, because most handler calls need none.
 */
export function lazyStepFunctionsClock(stateMachineArn: string, config: SFNClientConfig = {}): ApprovalClock {
  const sfn = lazyConnection(config);
  return {
    start: (envelopeId, name = envelopeId) => start(sfn, { stateMachineArn, name, input: { envelope_id: envelopeId } }),
    async settle(taskToken, output) {
      const { client, SendTaskSuccessCommand } = await sfn();
      await client
        .send(new SendTaskSuccessCommand({ taskToken, output: JSON.stringify(output) }))
        .catch(unless(settledBefore));
    },
  };
}

export function lazyRolloutClock(stateMachineArn: string, config: SFNClientConfig = {}): RolloutClock {
  const sfn = lazyConnection(config);
  return { start: (id) => start(sfn, { stateMachineArn, name: id, input: {} }) };
}

function lazyConnection(config: SFNClientConfig): () => Promise<Sfn> {
  let connected: Promise<Sfn> | undefined;
  return () => {
    connected ??= connect(config);
    return connected;
  };
}

interface ExecutionStart {
  readonly stateMachineArn: string;
  readonly name: string;
  readonly input: object;
}

async function start(sfn: () => Promise<Sfn>, { input, ...named }: ExecutionStart): Promise<void> {
  const { client, StartExecutionCommand } = await sfn();
  await client.send(new StartExecutionCommand({ ...named, input: JSON.stringify(input) })).catch(unless(startedBefore));
}

async function connect(config: SFNClientConfig): Promise<Sfn> {
  const sdk = await import('./sdk/step-functions.ts');
  return { ...sdk, client: new sdk.SFNClient({ ...clientBounds(), ...config }) };
}

const unless =
  (harmless: readonly string[]) =>
  (cause: unknown): void => {
    if (cause instanceof Error && harmless.includes(cause.name)) return;
    throw new GatewayError('service_unavailable', 'Step Functions did not answer. Try again shortly.', {
      cause,
      retryAfterSeconds: 1,
    });
  };
