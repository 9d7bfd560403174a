/** The approval clock on AWS, tested with a scripted server: exact requests, and how each response is handled. */
import { lazyStepFunctionsClock } from '#adapters/aws/step-functions-clock.ts';
import { awsError, scriptedAws } from '../support/scripted-aws.ts';
import { useStarted } from '../support/use-started.ts';

const stateMachineArn = 'arn:aws:states:us-east-1:000000000000:stateMachine:approval';

const server = useStarted(() => scriptedAws());

const clock = () => lazyStepFunctionsClock(stateMachineArn, server.client);
const started = { body: { executionArn: `${stateMachineArn}:e`, startDate: 1 } };

describe('start', () => {
  it('names the execution after the envelope and passes only the id', async () => {
    server.answers(started);
    await clock().start('0190-envelope');
    expect(server.asked).toHaveLength(1);
    expect(server.asked[0]?.target).toBe('AWSStepFunctions.StartExecution');
    expect(JSON.parse(server.asked[0]!.body)).toEqual({
      stateMachineArn,
      name: '0190-envelope',
      input: '{"envelope_id":"0190-envelope"}',
    });
  });

  it('treats an execution that already exists as started', async () => {
    server.answers(awsError('ExecutionAlreadyExists'));
    await expect(clock().start('0190-envelope')).resolves.toBeUndefined();
  });

  it.each(['ExecutionLimitExceeded', 'StateMachineDoesNotExist', 'AccessDeniedException'])(
    'refuses on %s',
    async (name) => {
      server.answers(awsError(name));
      await expect(clock().start('0190-envelope')).rejects.toMatchObject({
        code: 'service_unavailable',
        retryAfterSeconds: 1,
      });
    },
  );
});

describe('settle', () => {
  it('sends the status as the task output', async () => {
    server.answers({ body: {} });
    await clock().settle('the-token', { status: 'approved' });
    expect(server.asked[0]?.target).toBe('AWSStepFunctions.SendTaskSuccess');
    expect(JSON.parse(server.asked[0]!.body)).toEqual({ taskToken: 'the-token', output: '{"status":"approved"}' });
  });

  it.each(['TaskTimedOut', 'TaskDoesNotExist', 'InvalidToken'])(
    'treats %s as already settled, because the row is decided',
    async (name) => {
      server.answers(awsError(name));
      await expect(clock().settle('the-token', { status: 'denied' })).resolves.toBeUndefined();
    },
  );

  it('fails without revealing the token if the service is unavailable', async () => {
    server.answers(awsError('ServiceUnavailable', 503));
    const failure = await clock()
      .settle('the-token', { status: 'denied' })
      .catch((error: Error) => error);
    expect(failure).toMatchObject({ code: 'service_unavailable' });
    expect((failure as Error).message).not.toContain('the-token');
  });
});
