/**
 * The WebSocket API: one function for every event, a hand-over that is never repeated, and responses through
 * connections.
 */
import { functionId, liveReference, ofType, reference, synthesize } from './synthesized.ts';

const { services } = synthesize();

describe('the WebSocket', () => {
  const [[api, made] = ['', undefined]] = Object.entries(ofType(services, 'AWS::ApiGatewayV2::Api'));
  const environment = (name: string) =>
    ofType(services, 'AWS::Lambda::Function')[functionId(services, name)]!.Properties.Environment.Variables;

  it('routes connects, disconnects and all messages to one function, and sends responses only through connections', () => {
    expect(made?.Properties.ProtocolType).toBe('WEBSOCKET');
    const integrations = ofType(services, 'AWS::ApiGatewayV2::Integration');
    const taken = Object.values(ofType(services, 'AWS::ApiGatewayV2::Route')).map(({ Properties }) => {
      const integration = integrations[reference(Properties.Target).replace(/^integrations\/\{(.*)\}$/, '$1')];
      expect(reference(integration?.Properties.IntegrationUri)).toContain(
        `${liveReference(services, 'ws')}/invocations`,
      );
      expect(Properties.RouteResponseSelectionExpression).toBeUndefined();
      return Properties.RouteKey as string;
    });
    expect(taken.sort()).toEqual(['$connect', '$default', '$disconnect']);
    expect(ofType(services, 'AWS::ApiGatewayV2::RouteResponse')).toEqual({});
  });

  it('is throttled, and logs callers but not content', () => {
    const { Properties } = Object.values(ofType(services, 'AWS::ApiGatewayV2::Stage'))[0]!;
    expect(Properties).toMatchObject({
      StageName: 'gateway',
      AutoDeploy: true,
      AccessLogSettings: { DestinationArn: expect.anything() },
      DefaultRouteSettings: {
        ThrottlingRateLimit: 1000,
        ThrottlingBurstLimit: 500,
        DetailedMetricsEnabled: true,
        LoggingLevel: 'ERROR',
        DataTraceEnabled: false,
      },
    });
    expect(Properties.AccessLogSettings.Format).not.toMatch(/body|header|querystring/i);
  });

  it('gives its functions the connection URL and the name of the next function; a hand-over is never retried', () => {
    for (const name of ['ws', 'ws-worker'])
      expect(reference(environment(name).CONNECTIONS_URL)).toBe(
        `https://{${api}}.execute-api.{Region}.{URLSuffix}/gateway`,
      );
    expect(environment('ws').WS_WORKER_FUNCTION).toBe('agent-governance-ws-worker:live');
    const invoke = Object.values(ofType(services, 'AWS::Lambda::EventInvokeConfig')).find(
      ({ Properties }) => reference(Properties.FunctionName) === `{${functionId(services, 'ws-worker')}}`,
    );
    expect(invoke?.Properties).toMatchObject({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 });
  });

  it('has a readable URL', () => {
    const outputs = services.toJSON().Outputs as Record<string, { Value: unknown }>;
    expect(reference(outputs.WebSocketUrl?.Value)).toBe(`wss://{${api}}.execute-api.{Region}.{URLSuffix}/gateway`);
    expect(reference(outputs.GatewayUrl?.Value)).toMatch(/^https:\/\/\{GatewayApi/);
  });
});
