/** Traces exported by a function. */
import { createHash, createHmac } from 'node:crypto';
import { signRequest } from '#adapters/telemetry/aws-signature.ts';
import { httpSender } from '#adapters/telemetry/otlp-http.ts';
import { resourceAttributes } from '#adapters/telemetry/resource.ts';
import { batchedSink } from '#adapters/telemetry/span-batches.ts';
import { signedFor, tracesFromEnvironment } from '#adapters/telemetry/traces-from-environment.ts';
import type { ReceivedRequest } from '../support/otlp-receiver.ts';
import { chatCall, clock, expectChatCall, receiver, telemetryOf } from './otlp-setting.ts';

describe('a function', () => {
  const environment = {
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    AWS_SESSION_TOKEN: 'the-session-token',
    AWS_LAMBDA_FUNCTION_NAME: 'chat-completions',
    AWS_REGION: 'eu-west-1',
    AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/chat',
  };

  test('[trace.export] sends gzipped JSON spans to X-Ray, with a signature that AWS would accept', async () => {
    const { telemetry } = telemetryOf();
    const url = `${receiver.httpUrl}/v1/traces`;
    const sign = (request: Parameters<typeof signRequest>[0]) =>
      signRequest(request, { region: 'eu-west-1', service: 'xray', environment, clock });
    const sender = httpSender({ url, resource: () => resourceAttributes('my-gateway'), sign });
    telemetry.exportTo(batchedSink({ sender, telemetry, clock }));
    await chatCall(telemetry);
    await telemetry.flush();
    expectChatCall(receiver);
    const [request] = receiver.requests;
    expect(request!.headers).toMatchObject({
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'x-amz-date': '20260101T000000Z',
      'x-amz-security-token': environment.AWS_SESSION_TOKEN,
    });
    const { scope, signedHeaders, signature } = authorizationOf(request!);
    expect(scope).toBe('AKIDEXAMPLE/20260101/eu-west-1/xray/aws4_request');
    for (const name of ['host', 'x-amz-date', 'x-amz-security-token', 'content-type', 'content-encoding'])
      expect(signedHeaders).toContain(name);
    expect(signature).toBe(signatureOf(request!, signedHeaders, environment.AWS_SECRET_ACCESS_KEY));
  });

  test('sends no request without credentials, and logs the reason', async () => {
    const { telemetry, lines } = telemetryOf();
    const sign = (request: Parameters<typeof signRequest>[0]) =>
      signRequest(request, { region: 'eu-west-1', service: 'xray', environment: {}, clock });
    const sender = httpSender({ url: `${receiver.httpUrl}/v1/traces`, resource: () => resourceAttributes('s'), sign });
    telemetry.exportTo(batchedSink({ sender, telemetry, clock }));
    await chatCall(telemetry);
    await telemetry.flush();
    expect(receiver.requests).toHaveLength(0);
    expect(lines[0]).toContain('AWS_ACCESS_KEY_ID');
  });

  test('reads its address and identity from the environment, and sends no spans before a flush', async () => {
    const { telemetry } = telemetryOf();
    const url = `${receiver.httpUrl}/v1/traces`;
    telemetry.exportTo(tracesFromEnvironment({ ...environment, OTLP_TRACES_URL: url }, { telemetry, clock }));
    await chatCall(telemetry);
    expect(receiver.requests).toHaveLength(0);
    await telemetry.flush();
    expect(receiver.spans).toHaveLength(4);
    expect(receiver.spans[0]?.resource).toMatchObject({
      'service.name': 'agent-governance-gateway',
      'cloud.provider': 'aws',
      'cloud.platform': 'aws_lambda',
      'cloud.region': 'eu-west-1',
      'faas.name': 'chat-completions',
      'aws.log.group.names': ['/aws/lambda/chat'],
    });
    // Not an AWS endpoint, so it must not receive the AWS credentials.
    expect(receiver.requests[0]?.headers.authorization).toBeUndefined();
  });

  test.each([
    ['https://xray.eu-west-1.amazonaws.com/v1/traces', { service: 'xray', region: 'eu-west-1' }],
    ['https://xray.cn-north-1.amazonaws.com.cn/v1/traces', { service: 'xray', region: 'cn-north-1' }],
    ['http://xray.eu-west-1.amazonaws.com/v1/traces', undefined],
    ['https://xray.eu-west-1.amazonaws.com.example.org/v1/traces', undefined],
    ['https://xray.eu-west-1.amazonaws.com@example.org/v1/traces', undefined],
    ['https://example.org/https://xray.eu-west-1.amazonaws.com/', undefined],
  ])('the signing scope of %s is %j', (url, scope) => {
    expect(signedFor(url)).toEqual(scope);
  });

  test('exports nothing without a configured address', () => {
    expect(tracesFromEnvironment({}, telemetryOf())).toBeUndefined();
  });
});
function authorizationOf({ headers }: ReceivedRequest) {
  const [, scope, names, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    )!;
  return { scope, signedHeaders: names!.split(';'), signature };
}
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
/** Computes the Signature Version 4 defined by AWS from the request received. */
function signatureOf({ path, headers, body }: ReceivedRequest, signedHeaders: readonly string[], secret: string) {
  const lines = signedHeaders.map((name) => `${name}:${headers[name]}\n`).join('');
  const canonical = ['POST', path, '', lines, signedHeaders.join(';'), sha256(body)].join('\n');
  const scope = '20260101/eu-west-1/xray/aws4_request';
  const toSign = ['AWS4-HMAC-SHA256', '20260101T000000Z', scope, sha256(canonical)].join('\n');
  const key = ['20260101', 'eu-west-1', 'xray', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(key, toSign).toString('hex');
}
