/** The WebSocket API: one function for every event, a hand-over that is never repeated, answers through connections. */
import { functionId, liveReference, ofType, reference, synthesize } from './synthesized.ts';

const { doors } = synthesize();

describe('the WebSocket', () => {
  const [[api, made] = ['', undefined]] = Object.entries(ofType(doors, 'AWS::ApiGatewayV2::Api'));
  const environment = (name: string) =>
    ofType(doors, 'AWS::Lambda::Function')[functionId(doors, name)]!.Properties.Environment.Variables;

  it('brings connecting, leaving and every message to one function, and answers through connections only', () => {
    expect(made?.Properties.ProtocolType).toBe('WEBSOCKET');
    const integrations = ofType(doors, 'AWS::ApiGatewayV2::Integration');
    const taken = Object.values(ofType(doors, 'AWS::ApiGatewayV2::Route')).map(({ Properties }) => {
      const integration = integrations[reference(Properties.Target).replace(/^integrations\/\{(.*)\}$/, '$1')];
      expect(reference(integration?.Properties.IntegrationUri)).toContain(`${liveReference(doors, 'ws')}/invocations`);
      expect(Properties.RouteResponseSelectionExpression).toBeUndefined();
      return Properties.RouteKey as string;
    });
    expect(taken.sort()).toEqual(['$connect', '$default', '$disconnect']);
    expect(ofType(doors, 'AWS::ApiGatewayV2::RouteResponse')).toEqual({});
  });

  it('is throttled, logs who came and never what they said', () => {
    const { Properties, DependsOn } = Object.values(ofType(doors, 'AWS::ApiGatewayV2::Stage'))[0]!;
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
    expect(DependsOn).toEqual(expect.arrayContaining([expect.stringMatching(/^ApiLoggingAccount/)]));
  });

  it('tells its functions where connections are and who takes over; a call handed over is never repeated', () => {
    for (const name of ['ws', 'ws-worker'])
      expect(reference(environment(name).CONNECTIONS_URL)).toBe(
        `https://{${api}}.execute-api.{Region}.{URLSuffix}/gateway`,
      );
    expect(environment('ws').WS_WORKER_FUNCTION).toBe('agent-governance-ws-worker:live');
    const invoke = Object.values(ofType(doors, 'AWS::Lambda::EventInvokeConfig')).find(
      ({ Properties }) => reference(Properties.FunctionName) === `{${functionId(doors, 'ws-worker')}}`,
    );
    expect(invoke?.Properties).toMatchObject({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 });
  });

  it('has an address people can read', () => {
    const outputs = doors.toJSON().Outputs as Record<string, { Value: unknown }>;
    expect(reference(outputs.WebSocketUrl?.Value)).toBe(`wss://{${api}}.execute-api.{Region}.{URLSuffix}/gateway`);
    expect(reference(outputs.GatewayUrl?.Value)).toMatch(/^https:\/\/\{GatewayApi/);
  });
});
