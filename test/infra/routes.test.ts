/** The HTTP surfaces in the synthesized template: every route with its function, paths and responses. */
import type { FunctionSpec } from '#core/contracts/function-spec.ts';
import { opensToPages, type Route } from '#core/contracts/route.ts';
import { proxyPathOf } from '#core/contracts/routes.ts';
import { functions } from '#features/functions.ts';
import * as features from '#features/index.ts';
import { routes } from '#features/routes.ts';
import { readSettings } from '../../lib/settings.ts';
import type { Loose } from '../support/loose.ts';
import { asked } from './contexts.ts';
import { appNode, liveReference, ofType, type Resources, reference, synthesize } from './synthesized.ts';

const { services } = synthesize();
const raised = synthesize(asked);

describe('routes', () => {
  const resources: Resources = ofType(services, 'AWS::ApiGateway::Resource');
  const apis = Object.fromEntries(
    Object.entries(ofType(services, 'AWS::ApiGateway::RestApi')).map(([id, { Properties }]) => [
      id,
      Properties.Name as string,
    ]),
  );
  const pathOf = (id: string): string => {
    const resource = resources[id];
    return resource ? `${pathOf(resource.Properties.ParentId.Ref)}/${resource.Properties.PathPart}` : '';
  };
  const deployed = Object.values(ofType(services, 'AWS::ApiGateway::Method')).map(({ Properties }) => ({
    call: `${apis[Properties.RestApiId.Ref]} ${Properties.HttpMethod} ${pathOf(Properties.ResourceId.Ref) || '/'}`,
    uri: reference(Properties.Integration.Uri),
    type: Properties.Integration.Type as string,
    integration: Properties.Integration,
  }));
  const callOf = ({ surface, method, path }: { surface: string; method: string; path: string }) =>
    `agent-governance-${surface} ${method} ${path}`;
  const deployedCallOf = (route: Route) => {
    const proxy = proxyPathOf(route);
    return proxy === undefined ? callOf(route) : callOf({ ...route, method: 'ANY', path: proxy });
  };
  /** Request that clients use to check whether the address responds. */
  const head = 'agent-governance-gateway HEAD /';
  const preflights = new Map(
    routes
      // A proxy accepts every method.
      .filter((route) => opensToPages(route.surface) && proxyPathOf(route) === undefined)
      .map((route) => [callOf({ ...route, method: 'OPTIONS' }), route] as const),
  );

  it.each(routes.map((route) => [callOf(route), route] as const))('%s is handled by its function', (_, route) => {
    const { handledBy } = route;
    const method = deployed.find((candidate) => candidate.call === deployedCallOf(route));
    expect(method?.type).toBe('AWS_PROXY');
    const spec: FunctionSpec = functions[handledBy];
    const [version, last] = spec.streams
      ? ['2021-11-15', 'response-streaming-invocations']
      : ['2015-03-31', 'invocations'];
    expect(method?.uri).toMatch(/^arn:\{Partition\}:apigateway:\{Region\}:lambda:path\//);
    expect(method?.uri).toContain(`lambda:path/${version}/functions/${liveReference(services, handledBy)}/${last}`);
  });

  it('[admin.routes] has no routes outside the contract, except preflights and one proxy for a function that does its own routing', () => {
    const known = [...new Set(routes.map(deployedCallOf)), ...preflights.keys(), head];
    expect(deployed.map(({ call }) => call).sort()).toEqual(known.sort());
  });

  it('[cors.headers] passes each preflight to the function for its path, which knows the allowed origins', () => {
    expect(preflights.size).toBeGreaterThan(8);
    for (const [call, route] of preflights) {
      const uriOf = (wanted: string) => deployed.find((candidate) => candidate.call === wanted)?.uri;
      expect([call, uriOf(call)]).toEqual([call, uriOf(callOf(route))]);
    }
  });

  it('lets API Gateway invoke each function that has routes, once per function and surface', () => {
    const permissions = Object.values(ofType(services, 'AWS::Lambda::Permission')).filter(
      ({ Properties }) => Properties.Principal === 'apigateway.amazonaws.com',
    );
    const webSocketRoutes = 3;
    const pairs = new Set(routes.map(({ surface, handledBy }) => `${surface} ${handledBy}`));
    expect(permissions).toHaveLength(pairs.size + webSocketRoutes);
    for (const { Properties } of permissions) expect(Properties.Action).toBe('lambda:InvokeFunction');
  });

  it('gives streams 15 minutes, and buffers all other responses', () => {
    const modes = deployed.map(({ call, integration }) => [
      call,
      integration.ResponseTransferMode,
      integration.TimeoutInMillis,
    ]);
    const streams = ({ handledBy }: Route) => (functions[handledBy] as FunctionSpec).streams === true;
    const expected = [...new Map(routes.map((route) => [deployedCallOf(route), route] as const)), ...preflights].map(
      ([call, route]) => (streams(route) ? [call, 'STREAM', 900_000] : [call, undefined, undefined]),
    );
    expect(modes.filter(([call]) => call !== head).sort()).toEqual(expected.sort());
    const ofEvidence = routes.filter(({ handledBy }) => handledBy === 'evidence').map(callOf);
    expect(ofEvidence).toContain('agent-governance-admin GET /admin/v1/evidence/sessions/{id}/export');
    const streamed = {
      admin: 'POST /admin/v1/test-action, POST /admin/v1/outcomes',
      gateway: `POST /v1/actions, POST /v1/outcomes, POST /v1/chat/completions, POST /v1/messages, POST /v1/embeddings,
        POST /v1/completions, POST /v1/moderations, POST /v1/images/generations, POST /v1/images/edits,
        POST /v1/audio/transcriptions, POST /v1/audio/translations, POST /v1/audio/speech`,
      mcp: `GET /health, POST /mcp, GET /mcp, DELETE /mcp, GET /sse, POST /mcp/session/{id},
        GET /.well-known/oauth-protected-resource, GET /.well-known/oauth-protected-resource/mcp`,
    };
    if ('responses' in features)
      streamed.gateway += `, POST /v1/responses, GET /v1/responses/{id}, DELETE /v1/responses/{id},
        GET /v1/responses/{id}/input_items`;
    if ('batches' in features)
      streamed.gateway += `, POST /v1/files, GET /v1/files, GET /v1/files/{id}, GET /v1/files/{id}/content,
        DELETE /v1/files/{id}, POST /v1/batches, GET /v1/batches, GET /v1/batches/{id}, POST /v1/batches/{id}/cancel`;
    const listed = Object.entries(streamed).flatMap(([surface, calls]) =>
      calls.split(/,\s+/).map((call) => `agent-governance-${surface} ${call}`),
    );
    // Routes of a feature exist only if the feature is enabled.
    const callbacks = routes.filter(({ surface }) => surface === 'callbacks').map(callOf);
    listed.push(...ofEvidence, ...callbacks);
    expect(routes.filter(streams).map(callOf).sort()).toEqual(listed.sort());
    for (const { Properties } of Object.values(ofType(services, 'AWS::Lambda::Function'))) {
      const { streams: answersInPieces }: FunctionSpec =
        functions[Properties.FunctionName.replace('agent-governance-', '') as keyof typeof functions];
      // A silent response is cut off after 5 minutes, so a function that sends one ends at the same time.
      const shorter = { 'agent-governance-test-action': 300, 'agent-governance-approval-callback': 29 };
      const longest = shorter[Properties.FunctionName as keyof typeof shorter] ?? 900;
      if (answersInPieces) expect(Properties.Timeout).toBe(longest);
    }
  });

  it('uses no response feature that streams do not support: no mapping, caching, compression or conversion', () => {
    for (const { integration } of deployed) {
      for (const property of ['ContentHandling', 'IntegrationResponses', 'RequestTemplates', 'CacheKeyParameters'])
        expect(integration[property]).toBeUndefined();
    }
    for (const { Properties } of Object.values(ofType(services, 'AWS::ApiGateway::RestApi'))) {
      // Media types of requests: forms with files. Streamed binary responses need no type here.
      const forms = Properties.Name === 'agent-governance-gateway' ? ['multipart/form-data'] : undefined;
      expect(Properties.BinaryMediaTypes).toEqual(forms);
      expect(Properties.MinimumCompressionSize).toBeUndefined();
    }
    for (const { Properties } of Object.values(ofType(services, 'AWS::ApiGateway::Stage'))) {
      expect(Properties.CacheClusterEnabled).toBeUndefined();
      for (const setting of Properties.MethodSettings) expect(setting.CachingEnabled).toBeUndefined();
    }
  });

  it('is regional, and logs callers but not content', () => {
    for (const { Properties } of Object.values(ofType(services, 'AWS::ApiGateway::RestApi'))) {
      expect(Properties.EndpointConfiguration.Types).toEqual(['REGIONAL']);
    }
    for (const { Properties } of Object.values(ofType(services, 'AWS::ApiGateway::Stage'))) {
      expect(Properties.AccessLogSetting.DestinationArn).toBeDefined();
      for (const settings of Properties.MethodSettings)
        expect(settings).toMatchObject({ LoggingLevel: 'ERROR', DataTraceEnabled: false, MetricsEnabled: true });
    }
  });

  const throttlesOf = (template: typeof services) =>
    Object.values(ofType(template, 'AWS::ApiGateway::Stage')).flatMap(({ Properties }) =>
      Properties.MethodSettings.map((one: Loose) => [
        `${one.HttpMethod} ${one.ResourcePath}`,
        one.ThrottlingRateLimit,
        one.ThrottlingBurstLimit,
      ]),
    );
  const actions = (rate: number, burst: number) =>
    ['v1/actions', 'v1/outcomes', 'admin/v1/test-action', 'admin/v1/outcomes'].map((path) => [
      ...[`POST /~1${path.replaceAll('/', '~1')}`, rate, burst],
    ]);

  it('[admin.rate-limit] throttles the methods of each surface, and throttles actions separately from votes and the console', () => {
    expect(throttlesOf(services).toSorted()).toEqual(
      [...[50, 200, 1_000, 1_000].map((rate) => ['* /*', rate, 2 * rate]), ...actions(1_000, 2_000)].toSorted(),
    );
  });

  it('[admin.rate-limit] accepts other rates as an option, up to the account quota', () => {
    expect(throttlesOf(raised.services)).toEqual(
      expect.arrayContaining([...actions(8_000, 6_000), ['* /*', 300, 600]]),
    );
    expect(() => readSettings(appNode({ requestsPerSecond: 'actions=10001' }))).toThrow(
      '"requestsPerSecond" has "10001" for actions; allowed are whole numbers from 1 to 10000 (accountRequestsPerSecond,',
    );
    expect(() => readSettings(appNode({ requestsPerSecond: 'votes=5' }))).toThrow('Allowed names: actions, admin,');
  });

  it('[cloud.own-answers] returns 504 without Retry-After if a function times out, and explains how to look up the outcome', () => {
    const answers = Object.values(ofType(services, 'AWS::ApiGateway::GatewayResponse')).map(
      ({ Properties }) => Properties,
    );
    const late = answers.filter(({ ResponseType }) => ResponseType === 'INTEGRATION_TIMEOUT');
    expect(late).toHaveLength(4);
    for (const { StatusCode, ResponseParameters, ResponseTemplates } of late) {
      expect([StatusCode, ResponseParameters?.['gatewayresponse.header.Retry-After']]).toEqual(['504', undefined]);
      const { error } = JSON.parse(ResponseTemplates['application/json']);
      expect(error).toMatchObject({ code: 504, type: 'outcome_unknown' });
      expect(error.message).toContain('/admin/v1/audit?session=');
    }
    const throttled = answers.find(({ ResponseType }) => ResponseType === 'THROTTLED');
    expect(throttled?.ResponseParameters).toMatchObject({ 'gatewayresponse.header.Retry-After': "'1'" });
  });

  it("responds to unknown routes in the contract's error format", () => {
    const answers = Object.values(ofType(services, 'AWS::ApiGateway::GatewayResponse')).map(
      ({ Properties }) => Properties,
    );
    const unknown = answers.find(({ ResponseType }) => ResponseType === 'MISSING_AUTHENTICATION_TOKEN');
    expect(unknown?.StatusCode).toBe('404');
    expect(JSON.parse(unknown?.ResponseTemplates['application/json'])).toMatchObject({
      error: { code: 404, type: 'not_found' },
    });
  });

  it('[cloud.own-answers] returns 403 for refusals by WAF or an authorizer in both error formats, and lets pages read the response', () => {
    const answers = Object.values(ofType(services, 'AWS::ApiGateway::GatewayResponse')).map(
      ({ Properties }) => Properties,
    );
    const denied = answers.filter(({ ResponseType }) => ResponseType === 'ACCESS_DENIED');
    expect(denied.map(({ StatusCode }) => StatusCode)).toEqual(Array(4).fill('403'));
    const filtered = answers.filter(({ ResponseType }) => ResponseType === 'WAF_FILTERED');
    expect(filtered).toHaveLength(4);
    for (const { StatusCode, ResponseTemplates } of filtered) {
      expect(StatusCode).toBe('403');
      expect(JSON.parse(ResponseTemplates['application/json'])).toMatchObject({
        type: 'error',
        error: { code: 403, type: 'forbidden' },
      });
    }
    const open = filtered.filter(({ ResponseParameters }) => ResponseParameters);
    expect(open.map(({ RestApiId }) => reference(RestApiId).replace(/Api.*/, '')).sort()).toEqual(['{Gateway', '{Mcp']);
    expect(open[0]?.ResponseParameters).toMatchObject({ 'gatewayresponse.header.Access-Control-Allow-Origin': "'*'" });
  });

  it('[cloud.access-logs] keeps stage error logs for as long as access logs', () => {
    const groups = Object.values(ofType(services, 'AWS::Logs::LogGroup')).map(({ Properties }) => Properties);
    const names = groups.map(({ LogGroupName }) => reference(LogGroupName ?? ''));
    const execution = names.filter((name) =>
      /^(?:API-Gateway-Execution-Logs_|\/aws\/apigateway\/)\{\w+\}\/gateway$/.test(name),
    );
    expect(execution).toHaveLength(5);
    for (const { RetentionInDays } of groups) expect(RetentionInDays).toBe(90);
    const stages = Object.values({
      ...ofType(services, 'AWS::ApiGateway::Stage'),
      ...ofType(services, 'AWS::ApiGatewayV2::Stage'),
    });
    for (const { DependsOn = [] } of stages) expect([DependsOn].flat().join()).toMatch(/ExecutionLogs/);
  });

  it('[cloud.access-logs] logs errors and latencies, but no caller data', () => {
    for (const { Properties } of Object.values(ofType(services, 'AWS::ApiGateway::Stage'))) {
      const line = JSON.parse(Properties.AccessLogSetting.Format);
      expect(Object.keys(line)).toEqual(
        expect.arrayContaining(['status', 'error', 'errorType', 'integrationError', 'integrationLatency', 'traceId']),
      );
      expect(Properties.AccessLogSetting.Format).not.toMatch(/header|querystring|body|authorizer/i);
    }
  });
});

it('has a readable URL for every surface', () => {
  const outputs = services.toJSON().Outputs as Record<string, { Value: unknown }>;
  for (const name of ['Admin', 'Gateway', 'Mcp']) {
    const id = reference(outputs[`${name}ApiId`]?.Value);
    expect(id).toMatch(new RegExp(`^\\{${name}Api`));
    expect(reference(outputs[`${name}Url`]?.Value)).toBe(`https://${id}.execute-api.{Region}.{URLSuffix}/gateway`);
  }
});
